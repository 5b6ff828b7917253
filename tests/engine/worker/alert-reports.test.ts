import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { dayMs, hourMs, minuteMs } from '../../../schema/durations.ts'
import { type AlertWorld, createAlertWorld } from '../../support/alert-world.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { queryRows } from '../../support/database.ts'

let world: AlertWorld
let collector: TestCollector

beforeAll(async () => {
  world = await createAlertWorld()
  collector = await startTestCollector({ CLICKHOUSE_URL: world.database.writeUrl })
})
afterEach(() => world.forgetRules())
afterAll(() => Promise.all([collector?.close(), world?.close()]))

test('20,000 violations of a new host that browsers post are one message, also where its receiver was down', async () => {
  const { tenantId, destinationId } = await world.createShop()
  const token = makeSiteToken()
  const siteId = await world.api.createSite(tenantId, { name: 'Posted', hosts: ['shop.example'], token })
  await world.api.insertReports([aReport({ tenantId, siteId, receivedAt: Date.now() - 20 * dayMs })])
  const url = 'https://shop.example/cart'
  const report = (index: number) => ({
    type: 'csp-violation',
    age: 10,
    url,
    user_agent: 'Mozilla/5.0 Chrome/156.0.0.0',
    body: {
      documentURL: `${url}?${index}`,
      blockedURL: `https://skimmer.test/${index}.js`,
      disposition: 'enforce',
      effectiveDirective: 'script-src-elem',
    },
  })
  const posts = Array.from({ length: 200 }, (_, post) =>
    Array.from({ length: 100 }, (_, at) => report(post * 100 + at)),
  )
  const sent: unknown[] = []
  const post = async () => {
    for (let body = posts.pop(); body; body = posts.pop()) {
      expect((await collector.post(token, body)).status).toBe(204)
    }
  }
  world.respond((_, response) => void response.writeHead(503).end())
  // Posts in flight are stored together.
  const posting = Promise.all(Array.from({ length: 50 }, post))
  let isPosting = true
  void posting.finally(() => {
    isPosting = false
  })
  while (isPosting) sent.push(...(await world.pass()))
  await posting
  const stored = await queryRows(world.database.writer, `SELECT count() FROM reports WHERE site_id = '${siteId}'`)
  expect(stored).toEqual([[20_001]])
  const now = Date.now()
  for (let minute = 0; minute < 10; minute++) sent.push(...(await world.pass(now + minute * minuteMs)))
  world.respond((_, response) => void response.writeHead(204).end())
  const taken = await world.pass(now + 30 * minuteMs)
  expect(taken.map(({ message: { type, data } }) => [type, data.siteId, data.summary]).sort()).toEqual([
    ['csp.new_issue', siteId, 'New issue: script-src-elem blocks skimmer.test'],
    ['reports.burst', siteId, expect.stringMatching(/reports in the hour from [\d-]+ \d\d:00 UTC; usually 0$/)],
  ])
  for (const refused of sent) expect(taken).toContainEqual(refused)
  expect(await world.pass(now + 60 * minuteMs)).toEqual([])
  const delivered = [destinationId, 'delivered']
  expect((await world.deliveriesOf(tenantId)).map(([, , to, outcome]) => [to, outcome])).toEqual([delivered, delivered])
})

/** As many reports of a site as are given by hours before `hour`, in one insert. */
const insertHours = (shop: Shop, hour: number, counts: readonly (readonly [hoursAgo: number, count: number])[]) =>
  world.database.writer.command(
    `INSERT INTO reports (tenant_id, site_id, report_type, received_at, id, retention_days, weight)
     SELECT '${shop.tenantId}', '${shop.siteId}', 'deprecation',
       fromUnixTimestamp64Milli(${hour} - toInt64(of_hour.1 * 3600000) + number), generateUUIDv7(), 365, 1000000
     FROM numbers(10000)
     ARRAY JOIN [${counts.map(([hoursAgo, count]) => `(toInt64(${hoursAgo}), ${count})`).join(', ')}] AS of_hour
     WHERE number < of_hour.2`,
  )

const startOfHour = Math.floor(Date.now() / hourMs) * hourMs

type Shop = Awaited<ReturnType<AlertWorld['createShop']>>

/** Types and summaries of the shop's messages in a pass. */
const passOf = async ({ pageId }: Shop, time: number) =>
  (await world.pass(time)).flatMap(({ path, message: { type, data } }) =>
    path === `/in/${pageId}` ? [[type, data.summary]] : [],
  )

test('ten times the usual reports of the hour, and over 1,000, are one alert however long they last', async () => {
  const hour = startOfHour - 2 * hourMs
  const clock = `${new Date(hour).toISOString().slice(0, 13).replace('T', ' ')}:00 UTC`
  const [shop, busy, young] = [await world.createShop(), await world.createShop(), await world.createShop()]
  const week = (count: number) => Array.from({ length: 7 }, (_, day) => [(day + 1) * 24, count] as const)
  await insertHours(shop, hour, [...week(100), [0, 900], [500, 1]])
  await insertHours(busy, hour, [...week(200), [0, 1_999]])
  await insertHours(young, hour, [
    [20, 1],
    [0, 2_000],
  ])
  expect(await world.pass(hour + 20 * minuteMs)).toEqual([])
  await insertHours(shop, hour + 1_000, [[0, 101]])
  expect(await passOf(shop, hour + 21 * minuteMs)).toEqual([
    ['reports.burst', `1,001 reports in the hour from ${clock}; usually 100`],
  ])
  await insertHours(shop, hour, [
    [0, 500],
    [-1, 3_000],
  ])
  expect(await world.pass(hour + 70 * minuteMs)).toEqual([])
  expect((await passOf(shop, hour + 23 * hourMs)).map(([, summary]) => summary)).toEqual([
    expect.stringContaining(`The burst from ${clock} is over: 4,501 reports until`),
  ])
})

test('minutes above a site’s budget are one alert a day, and no burst', async () => {
  const hour = startOfHour - 2 * hourMs
  const shop = await world.createShop()
  const sites = await Promise.all(
    ['flooded', 'sampled', 'imported'].map((name) =>
      world.api.createSite(shop.tenantId, { name, reportsPerMinute: 500 }),
    ),
  )
  const insert = (siteId: string | undefined, minute: number, count: number, weight: number) =>
    world.database.writer.command(
      `INSERT INTO reports (tenant_id, site_id, report_type, received_at, id, retention_days, weight)
       SELECT '${shop.tenantId}', '${siteId}', 'deprecation',
         fromUnixTimestamp64Milli(toInt64(${hour + minute * minuteMs}) + number), generateUUIDv7(), 365, ${weight}
       FROM numbers(${count})`,
    )
  for (const site of sites) await insert(site, -30 * 24 * 60, 1, 1_000_000)
  await insert(sites[0], 3, 520, 1_000_000)
  for (const minute of [4, 5]) await insert(sites[0], minute, 600, 50_000_000)
  await insert(sites[1], 4, 490, 2_000_000)
  for (const minute of [4, 5]) await insert(sites[2], minute, 450, 1_000_000)
  const time = new Date(hour + 4 * minuteMs).toISOString()
  expect(await passOf(shop, hour + 7 * minuteMs)).toEqual([
    [
      'reports.flood',
      `About 30,000 reports per minute since ${time.slice(0, 10)} ${time.slice(11, 16)} UTC; 600 are stored`,
    ],
  ])
  const site = `--tenant ${shop.tenantId} --site ${sites[0]}`
  expect(world.received[0]?.message.data.nextStep).toBe(
    `If they are forged, run "sites rotate-token ${site}", then "reports delete ${site} --from ${time} --unconfirmed".`,
  )
  await insert(sites[0], 6, 600, 50_000_000)
  expect(await passOf(shop, hour + 9 * minuteMs)).toEqual([])
})

test('a flood silences bursts only of the sites that its rule covers', async () => {
  const hour = startOfHour - 2 * hourMs
  const shop = await world.createShop()
  await world.forgetRules()
  const [flooded, other] = await Promise.all(
    ['flooded', 'other'].map((name) => world.api.createSite(shop.tenantId, { name, reportsPerMinute: 500 })),
  )
  await world.addRule(shop.tenantId, 'reports.burst', shop.destinationId)
  await world.addRule(shop.tenantId, 'reports.flood', shop.destinationId, { siteId: `${other}` })
  for (const [time, count, weight] of [
    [hour - 30 * dayMs, 1, 1_000_000],
    [hour, 2_000, 50_000_000],
  ] as const) {
    await world.database.writer.command(
      `INSERT INTO reports (tenant_id, site_id, report_type, received_at, id, retention_days, weight)
       SELECT '${shop.tenantId}', '${flooded}', 'deprecation', fromUnixTimestamp64Milli(toInt64(${time}) + number),
         generateUUIDv7(), 365, ${weight} FROM numbers(${count})`,
    )
  }
  expect((await passOf(shop, hour + 7 * minuteMs)).map(([type]) => type)).toEqual(['reports.burst'])
})

test('a policy that no report quoted before is one alert, but not in another order, of a first day or an old file', async () => {
  const now = Date.now()
  const [shop, young] = [await world.createShop(), await world.createShop()]
  const quote = (of: Shop, policy: string, receivedAt: number, given: object = {}) =>
    world.api.insertReports([
      aReport({ tenantId: of.tenantId, siteId: of.siteId, policy, receivedAt, id: randomUUID(), ...given }),
    ])
  await quote(shop, "default-src 'self'; img-src a.test", now - 20 * dayMs)
  await quote(shop, "img-src A.test;default-src 'self'", now - 2 * minuteMs)
  await quote(shop, "default-src 'none'", now - 3 * dayMs)
  await quote(young, "default-src 'self'", now - 20 * hourMs)
  await quote(young, "default-src 'none'", now - minuteMs)
  expect(await world.pass(now)).toEqual([])
  await quote(shop, "default-src 'self'; script-src 'nonce-a1'", now - minuteMs)
  await quote(shop, "default-src 'self'; script-src 'nonce-b2'", now - minuteMs)
  expect(await passOf(shop, now + minuteMs)).toEqual([])
  expect(await passOf(shop, now + hourMs)).toEqual([
    ['csp.policy_changed', "Reports quote a new policy (enforce): default-src 'self'; script-src 'nonce-*'"],
  ])
  await quote(shop, "default-src 'self'", now, { disposition: 'report' })
  await quote(shop, 'img-src b.test', now)
  expect(await passOf(shop, now + 2 * hourMs + 1)).toEqual([['csp.policy_changed', 'Reports quote 2 new policies']])
  const { body } = await world.api.get(`/v1/sites/${shop.siteId}/csp-policies`, { key: shop.key })
  const message = world.received.find(({ path }) => path === `/in/${shop.pageId}`)?.message
  expect(message?.data.policies).toHaveLength(2)
  expect(message?.data.policies?.every(({ id }) => body.data.some((policy: { id: string }) => policy.id === id))).toBe(
    true,
  )
  expect(await passOf(shop, now + 4 * hourMs)).toEqual([])
})
