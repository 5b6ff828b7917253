import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { completeScan, sending } from '../../../fixtures/scans.ts'
import { chunksOf } from '../../../queries/sql/rows.ts'
import { dayMs, hourMs, minuteMs } from '../../../schema/durations.ts'
import { type AlertWorld, createAlertWorld, type Received } from '../../support/alert-world.ts'

let world: AlertWorld

beforeAll(async () => {
  world = await createAlertWorld()
})
afterEach(async () => {
  world.respond((_, response) => void response.writeHead(204).end())
  release()
  await world.settled()
  world.received.length = 0
  await world.forgetRules()
})
afterAll(() => world?.close())

type Shop = Awaited<ReturnType<AlertWorld['createShop']>>

/** Scans of a page with other headers each, and one before them. */
async function change(shop: Shop, times: readonly number[], pageId: ReturnType<typeof randomUUID> = shop.pageId) {
  const [first = 0] = times
  const all = [first - dayMs, ...times].map((time) =>
    completeScan({
      id: randomUUID(),
      pageId,
      scannedAt: new Date(time).toISOString(),
      grade: 'A',
      headers: sending({ 'content-security-policy': `img-src ${time}.test` }),
    }),
  )
  await world.api.importRecords(shop.tenantId, scans, all)
}

async function addPage({ tenantId, siteId }: Shop, label: string) {
  const id = randomUUID()
  const pattern = `https://shop.example.test/${label}`
  const page = { id, siteId, kind: 'payment', label, pattern, scanUrl: pattern, position: 1 }
  await world.api.importRecords(tenantId, monitoredPages, [page])
  return id
}

const held: ServerResponse[] = []

/** Holds the responses to some messages until released. */
const holdIf = (isHeld: (received: Received) => boolean) =>
  world.respond((received, response) => {
    if (isHeld(received)) held.push(response)
    else response.writeHead(204).end()
  })

const release = () => {
  for (const response of held.splice(0)) response.writeHead(204).end()
}

const timesOf = () => world.received.map(({ message }) => Date.parse(message.timestamp))

test('a slow receiver holds back neither other destinations nor other pages, and nothing is sent twice', async () => {
  const [shop, other] = [await world.createShop(), await world.createShop()]
  const cart = await addPage(shop, 'cart')
  const now = Date.now()
  await change(shop, [now - 2 * hourMs, now - hourMs])
  await change(other, [now - 50 * minuteMs])
  holdIf(({ message }) => message.data.pageId === shop.pageId)
  await world.start(now)
  await expect.poll(() => timesOf().toSorted()).toEqual([now - 2 * hourMs, now - 50 * minuteMs])
  await change(shop, [now - 40 * minuteMs], cart)
  await world.start(now + 1_000)
  await expect.poll(() => timesOf().slice(2)).toEqual([now - 40 * minuteMs])
  await world.start(now + 2_000)
  release()
  await expect.poll(() => held.length).toBe(1)
  release()
  await world.settled()
  expect(timesOf().slice(2)).toEqual([now - 40 * minuteMs, now - hourMs])
  expect(await world.pass(now + 3_000)).toEqual([])
})

test('a message that is sent again holds back later ones of its page only', async () => {
  const shop = await world.createShop()
  const cart = await addPage(shop, 'cart')
  const now = Date.now()
  await change(shop, [now - 2 * hourMs, now - hourMs])
  await change(shop, [now - 30 * minuteMs], cart)
  world.respond(({ message }, response) => {
    response.writeHead(message.data.pageId === cart ? 204 : 500).end()
  })
  expect((await world.pass(now)).map(({ message }) => Date.parse(message.timestamp)).sort()).toEqual([
    now - 2 * hourMs,
    now - 30 * minuteMs,
  ])
  expect(await world.pass(now + 1_000)).toEqual([])
  world.respond((_, response) => void response.writeHead(204).end())
  await world.pass(now + minuteMs)
  expect(timesOf()).toEqual([now - 2 * hourMs, now - hourMs])
})

test('a receiver gets at most four messages at once', async () => {
  const shop = await world.createShop()
  const now = Date.now()
  for (let index = 0; index < 6; index++) await change(shop, [now - hourMs], await addPage(shop, `page-${index}`))
  holdIf(() => true)
  await world.start(now)
  await expect.poll(() => held.length).toBe(4)
  await world.start(now + 1_000)
  expect(world.received).toHaveLength(4)
  world.respond((_, response) => void response.writeHead(204).end())
  release()
  await world.settled()
  expect(world.received).toHaveLength(6)
})

/** `ALERT_DESTINATIONS=2000` prints the time: on a busy machine no test asserts it. */
const destinations = Number(process.env.ALERT_DESTINATIONS ?? 200)

test('a change reaches its other destinations while one in forty does not respond', async () => {
  const shop = await world.createShop()
  await world.forgetRules()
  for (const indexes of chunksOf([...Array(destinations).keys()], 50)) {
    await Promise.all(
      indexes.map(async (index) => {
        const id = await world.addDestination(shop.tenantId, `/${index % 40 === 0 ? 'slow' : 'fast'}/${index}`)
        await world.addRule(shop.tenantId, 'page.headers_changed', id)
      }),
    )
  }
  const now = Date.now()
  await change(shop, [now - hourMs])
  holdIf(({ path }) => path.startsWith('/slow'))
  const fast = () => world.received.filter(({ path }) => path.startsWith('/fast')).length
  const startedAt = performance.now()
  await world.start(now)
  await expect.poll(fast, { interval: 100 }).toBe((destinations * 39) / 40)
  const tookMs = Math.round(performance.now() - startedAt)
  if (process.env.ALERT_DESTINATIONS) process.stderr.write(`${destinations} destinations: ${tookMs} ms\n`)
  release()
  await world.settled()
  expect(await world.pass(now + minuteMs)).toEqual([])
})
