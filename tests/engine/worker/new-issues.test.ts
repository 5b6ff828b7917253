import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { dayMs, hourMs, minuteMs } from '../../../schema/durations.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { type AlertWorld, createAlertWorld } from '../../support/alert-world.ts'

let world: AlertWorld

beforeAll(async () => {
  world = await createAlertWorld({ DIGEST_HOUR: '8' })
})
afterEach(() => world.forgetRules())
afterAll(() => world?.close())

type Shop = Awaited<ReturnType<AlertWorld['createShop']>>

const insert = ({ tenantId, siteId }: Shop, reports: readonly Partial<StoredReport>[]) =>
  world.api.insertReports(reports.map((report) => aReport({ tenantId, siteId, id: randomUUID(), ...report })))

/** A site that had its first day long ago, with the default bounds of new issues. */
async function createShop() {
  const shop = await world.createShop({})
  await insert(shop, [{ issueHost: 'old.test', receivedAt: Date.now() - 30 * dayMs }])
  return shop
}

/** Hours from the digest, whatever time it is now. */
const noon = Math.floor(Date.now() / dayMs) * dayMs - 2 * dayMs + 12 * hourMs

/** Type and summary of the messages to a path in a pass. */
const passOf = async (path: string, time: number) =>
  (await world.pass(time)).flatMap(({ message: { type, data }, path: to }) =>
    to === path ? [[type, data.summary]] : [],
  )

const blocked = (host: string) => ['csp.new_issue', expect.stringContaining(`script-src-elem blocks ${host}`)]

test('of nine days with fifteen hosts a day that one visitor has, the two real ones are told at once, and the rest is one message a day', async () => {
  const shop = await createShop()
  const random = seeded(82)
  const start = Math.floor(Date.now() / dayMs) * dayMs - 10 * dayMs
  const oneOff = (day: number, slice: number, index: number): Partial<StoredReport>[] => {
    const receivedAt = start + day * dayMs + slice * 8 * hourMs + random.below(8 * hourMs)
    const browserName = random.pick(['Chrome', 'Firefox', 'Safari'])
    const report = { issueHost: `visitor-${day}-${slice}-${index}.test`, browserName, receivedAt }
    return Array.from({ length: 1 + random.below(9) }, (_, at) => ({
      ...report,
      documentUrl: `https://shop.test/${at % 2}`,
    }))
  }
  const real = { '3 2': 'skimmer.test', '6 1': 'cdn.test' } as Readonly<Record<string, string>>
  const told: unknown[] = []
  const others = new Map<number, number>()
  for (let day = 0; day < 9; day++) {
    for (let slice = 0; slice < 3; slice++) {
      const begin = start + day * dayMs + slice * 8 * hourMs
      const hosts = 5
      const reports = Array.from({ length: hosts }, (_, index) => oneOff(day, slice, index)).flat()
      const usual = Array.from({ length: 520 }, (_, at) => ({
        issueHost: 'old.test',
        receivedAt: begin + at * minuteMs * 0.9,
      }))
      const host = real[`${day} ${slice}`]
      const spread = host
        ? ['Chrome', 'Safari'].map((browserName) => ({ issueHost: host, browserName, receivedAt: begin }))
        : []
      await insert(shop, [...usual, ...reports, ...spread])
      for (const message of await passOf(`/in/${shop.pageId}`, begin + 8 * hourMs)) {
        if (message[0] === 'csp.new_issue') told.push(message)
        else others.set(day, (others.get(day) ?? 0) + 1)
      }
    }
  }
  expect(told).toEqual([blocked('skimmer.test'), blocked('cdn.test')])
  expect([...others]).toEqual(Array.from({ length: 9 }, (_, day) => [day, 1]))
}, 300_000)

test.each<[string, Partial<StoredReport>[]]>([
  ['two browser families', [{ browserName: 'Chrome' }, { browserName: 'Firefox' }]],
  ['three pages', [1, 2, 3].map((page) => ({ documentUrl: `https://shop.test/${page}` }))],
  ['ten reports', Array.from({ length: 10 }, () => ({}))],
])('an issue is told when it has %s, and not one report before', async (_, reports) => {
  const shop = await createShop()
  const near = reports.map((report) => ({ issueHost: 'new.test', receivedAt: noon - hourMs, ...report }))
  await insert(shop, near.slice(1))
  expect(await world.pass(noon)).toEqual([])
  await insert(shop, [{ ...near[0], noise: true }])
  expect(await world.pass(noon + minuteMs)).toEqual([])
  await insert(shop, near.slice(0, 1))
  const [sent, ...others] = await world.pass(noon + 2 * minuteMs)
  expect(others).toEqual([])
  expect(sent?.message.data.issues).toMatchObject([{ host: 'new.test', reportCount: reports.length }])
})

test('evidence that an issue gets after its first day is in no message of it', async () => {
  const shop = await createShop()
  await insert(shop, [{ issueHost: 'slow.test', receivedAt: noon }])
  expect(await passOf(`/in/${shop.pageId}`, noon + minuteMs)).toEqual([])
  expect(await passOf(`/in/${shop.pageId}`, noon + 20 * hourMs)).toEqual([
    ['digest', 'Daily digest: 1 new issue with few reports of 1 site'],
  ])
  await insert(shop, [{ issueHost: 'slow.test', receivedAt: noon + dayMs + minuteMs, browserName: 'Safari' }])
  expect(await passOf(`/in/${shop.pageId}`, noon + dayMs + 2 * minuteMs)).toEqual([])
})

test('an issue of a digest that spreads within its first day is told too', async () => {
  const shop = await createShop()
  const morning = Math.floor(Date.now() / dayMs) * dayMs - 2 * dayMs + 7 * hourMs
  await insert(shop, [{ issueHost: 'late.test', receivedAt: morning }])
  expect(await passOf(`/in/${shop.pageId}`, morning + hourMs)).toHaveLength(1)
  await insert(shop, [{ issueHost: 'late.test', receivedAt: morning + 2 * hourMs, browserName: 'Safari' }])
  expect(await passOf(`/in/${shop.pageId}`, morning + 2 * hourMs)).toEqual([blocked('late.test')])
})

test('with a digest rule the issues with few reports are in its digest alone, by name', async () => {
  const shop = await createShop()
  const sister = { ...shop, siteId: await world.api.createSite(shop.tenantId, { name: 'Sister' }) }
  const digestAt = Math.floor(Date.now() / dayMs) * dayMs - dayMs + 8 * hourMs
  await insert(sister, [{ issueHost: 'old.test', receivedAt: digestAt - 30 * dayMs }])
  const officer = await world.addDestination(shop.tenantId, '/officer')
  await world.addRule(shop.tenantId, 'csp.new_issue', officer, { kind: 'digest', siteId: sister.siteId })
  await insert(shop, [{ issueHost: 'one.test', receivedAt: digestAt - hourMs }])
  await insert(sister, [{ issueHost: 'two.test', receivedAt: digestAt - hourMs }])
  await insert(shop, [{ issueHost: 'next.test', receivedAt: digestAt }])
  const sent = await world.pass(digestAt)
  expect(
    sent.map(({ path, message: { data } }) => [path, data.issues?.map(({ host, siteId }) => [host, siteId])]).sort(),
  ).toEqual([
    [`/in/${shop.pageId}`, [['one.test', shop.siteId]]],
    ['/officer', [['two.test', sister.siteId]]],
  ])
  expect(await world.pass(digestAt + minuteMs)).toEqual([])
})

test('a rule with bounds of its own is told by both of them, and another rule by its own', async () => {
  const shop = await createShop()
  const strict = await world.addDestination(shop.tenantId, '/strict')
  await world.addRule(shop.tenantId, 'csp.new_issue', strict, { minReports: 4, minBrowsers: 2 })
  const every = await world.addDestination(shop.tenantId, '/every')
  await world.addRule(shop.tenantId, 'csp.new_issue', every, { minReports: 1 })
  const report = (browserName: string) => ({ issueHost: 'new.test', receivedAt: noon - hourMs, browserName })
  const paths = async (minutes: number) => (await world.pass(noon + minutes * minuteMs)).map(({ path }) => path)
  await insert(shop, [report('Chrome')])
  expect(await paths(0)).toEqual(['/every'])
  await insert(shop, [report('Safari'), report('Chrome')])
  expect(await paths(1)).toEqual([`/in/${shop.pageId}`])
  await insert(shop, [report('Safari')])
  expect(await paths(2)).toEqual(['/strict'])
  expect(await paths(3)).toEqual([])
})
