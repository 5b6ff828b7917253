import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { seeded } from '../../../fixtures/seeded.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { listBursts, listQuietSites } from '../../../queries/reports/list-traffic-changes.ts'
import { toClickHouseTime } from '../../../queries/sql/sql.ts'
import { dayMs, hourMs, minuteMs } from '../../../schema/durations.ts'
import { type AlertWorld, createAlertWorld } from '../../support/alert-world.ts'

let world: AlertWorld

beforeAll(async () => {
  world = await createAlertWorld()
})
afterEach(() => world.forgetRules())
afterAll(() => world?.close())

type Shop = Awaited<ReturnType<AlertWorld['createShop']>>

interface Hour {
  readonly time: number
  readonly count: number
  /** Weight of each, in reports. */
  readonly weight?: number
}

const insertHours = (shop: Shop, hours: readonly Hour[]) =>
  world.database.writer.command(
    `INSERT INTO reports (tenant_id, site_id, report_type, received_at, id, retention_days, weight, document_url, directive,
       blocked_host, issue_key)
     SELECT '${shop.tenantId}', '${shop.siteId}', 'csp-violation', fromUnixTimestamp64Milli(toInt64(of_hour.1 + number % 3600000)),
       generateUUIDv7(), 365, of_hour.3, 'https://shop.test/pay?q=1', 'script-src-elem', 'cdn.test', 1
     FROM numbers(${Math.max(...hours.map(({ count }) => count))})
     ARRAY JOIN [${hours.map(({ time, count, weight = 1 }) => `(${time}, ${count}, ${weight * 1_000_000})`).join(', ')}] AS of_hour
     WHERE number < of_hour.2`,
  )

const startOfHour = Math.floor(Date.now() / hourMs) * hourMs

const utc = (time: number) =>
  new Date(time)
    .toISOString()
    .replace('T', ' ')
    .replace(/:\d\d\..*/, ' UTC')

/** Messages about traffic of a shop in a pass. */
const passOf = async ({ pageId }: Shop, time: number) =>
  (await world.pass(time)).flatMap(({ path, message: { type, data } }) =>
    path === `/in/${pageId}` && /burst|silence/.test(type) ? [data] : [],
  )

/** Every hour of a span, for the counts by hour. */
const hoursOf = (from: number, to: number, countOf: (time: number) => number): Hour[] =>
  Array.from({ length: (to - from) / hourMs }, (_, index) => from + index * hourMs)
    .map((time) => ({ time, count: countOf(time) }))
    .filter(({ count }) => count > 0)

/** Ten reports an hour from 8 to 18 UTC on weekdays. */
const officeHours = (time: number) => {
  const date = new Date(time)
  return [0, 6].includes(date.getUTCDay()) || date.getUTCHours() < 8 || date.getUTCHours() >= 18 ? 0 : 10
}

test('an office site that falls silent is told on Monday morning, and its nights and weekend are not', async () => {
  const shop = await world.createShop()
  const monday = Math.floor(Date.now() / dayMs) * dayMs - ((new Date().getUTCDay() + 6) % 7) * dayMs - 7 * dayMs
  const isSilent = (time: number) => time >= monday + 9 * hourMs && time < monday + 15 * hourMs
  await insertHours(
    shop,
    hoursOf(monday - 21 * dayMs, monday + 5 * dayMs, (time) => (isSilent(time) ? 0 : officeHours(time))),
  )
  const told: [number, string][] = []
  for (let hour = -64; hour < 30; hour += hour < 8 || hour > 16 ? 8 : 1) {
    const sent = await passOf(shop, monday + hour * hourMs + 6 * minuteMs)
    for (const { summary } of sent) told.push([hour, summary])
  }
  expect(told).toEqual([
    [11, `No reports from ${utc(monday + 9 * hourMs)} to ${utc(monday + 11 * hourMs)}; usually 20`],
    [15, `Reports are back at ${utc(monday + 15 * hourMs)}, after the silence from ${utc(monday + 9 * hourMs)}`],
  ])
}, 300_000)

test('a source that flaps is one message a day with a count, and a silence that lasts is told', async () => {
  const shop = await world.createShop()
  const hour = startOfHour - 60 * hourMs
  const isSilent = (time: number) => time >= hour && (time >= hour + 50 * hourMs || ((time - hour) / hourMs) % 3 === 0)
  await insertHours(
    shop,
    hoursOf(hour - 8 * dayMs, startOfHour, (time) => (isSilent(time) ? 0 : 50)),
  )
  const told: [number, number | undefined, boolean | undefined][] = []
  for (let time = hour; time < startOfHour; time += hourMs) {
    for (const { countInDay, ended } of await passOf(shop, time + 6 * minuteMs)) {
      told.push([(time - hour) / hourMs, countInDay, ended])
    }
  }
  expect(told).toEqual([
    [1, undefined, undefined],
    [2, undefined, true],
    [25, 8, undefined],
    [26, undefined, true],
    [49, 8, undefined],
    [50, undefined, true],
    [56, 9, undefined],
  ])
}, 300_000)

test('no silence is told while a collector holds reports of the hour, nor within five minutes after', async () => {
  const shop = await world.createShop()
  const hour = startOfHour - hourMs
  await insertHours(
    shop,
    hoursOf(hour - 8 * dayMs, hour, () => 50),
  )
  const log = { id: randomUUID(), host: 'collector-1' }
  const record = (oldest: number | null, recordedAt: number) =>
    insertRows(world.database.writer, 'collector_logs', [
      {
        ...log,
        oldest_at: oldest && toClickHouseTime(new Date(oldest)),
        recorded_at: toClickHouseTime(new Date(recordedAt)),
      },
    ])
  const now = Math.max(Date.now(), hour + hourMs + 11 * minuteMs)
  await record(hour + 50 * minuteMs, now)
  expect(await passOf(shop, now)).toEqual([])
  await record(null, now + 1)
  expect(await passOf(shop, now + 4 * minuteMs)).toEqual([])
  expect(await passOf(shop, now + 11 * minuteMs)).toHaveLength(1)
})

test('a site of some days has no burst of its usual traffic, nor of another sample rate', async () => {
  const [shop, sampled] = [await world.createShop(), await world.createShop()]
  const hour = startOfHour - 2 * dayMs
  await insertHours(
    shop,
    hoursOf(hour - 6 * dayMs, hour + dayMs, () => 1_500),
  )
  await insertHours(sampled, [
    ...hoursOf(hour - 3 * dayMs, hour, () => 120).map((one) => ({ ...one, weight: 10 })),
    ...hoursOf(hour, hour + dayMs, () => 1_300),
  ])
  for (let time = hour - 5 * dayMs; time < hour + dayMs; time += 18 * hourMs) {
    const types = (await world.pass(time + 20 * minuteMs)).map(({ message: { type } }) => type)
    expect(types.filter((type) => /burst|silence/.test(type))).toEqual([])
  }
}, 300_000)

test('a burst names the largest directive, host and page, and is told when it is over', async () => {
  const shop = await world.createShop()
  const hour = startOfHour - 5 * hourMs
  await insertHours(shop, [
    { time: hour - 3 * dayMs, count: 10 },
    ...[0, 1].map((at) => ({ time: hour + at * hourMs, count: 1_100, weight: 2 })),
  ])
  const [burst, ...others] = await passOf(shop, hour + 20 * minuteMs)
  expect(others).toEqual([])
  const reports = 2_200
  expect(burst).toMatchObject({
    summary: `2,200 reports in the hour from ${utc(hour)}; usually 3`,
    reportCount: reports,
    usualCount: 3,
    largest: {
      directive: { value: 'script-src-elem', reports },
      blockedHost: { value: 'cdn.test', reports },
      page: { value: 'https://shop.test/pay', reports },
    },
  })
  expect(await passOf(shop, hour + 2.5 * hourMs)).toEqual([])
  expect(await passOf(shop, hour + 3.1 * hourMs)).toMatchObject([
    { ended: true, summary: `The burst from ${utc(hour)} is over: 4,400 reports until ${utc(hour + 2 * hourMs)}` },
  ])
  expect(await passOf(shop, hour + 4 * hourMs)).toEqual([])
})

test('random traffic has the means and bursts of a count by hand', async () => {
  const random = seeded(83)
  const hour = startOfHour - hourMs
  const tenantId = await world.api.createTenant()
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const sites = await Promise.all(names.map((name) => world.api.createSite(tenantId, { name })))
  const traffic = sites.map((siteId) => {
    const first = hour - random.below(5 * 7 * 24) * hourMs
    const busy = random.pick([2, 30, 300])
    const weight = random.pick([1, 3])
    const given = hoursOf(first, hour + hourMs, (time) =>
      time === first ? 1 : random.chance(0.3) ? 0 : random.chance(0.05) ? 10 * busy : random.below(busy),
    ).map((one) => ({ ...one, weight }))
    return {
      siteId: String(siteId),
      first,
      given,
      countAt: new Map(given.map(({ time, count }) => [time, count])),
      weight,
    }
  })
  for (const { siteId, given } of traffic) await insertHours({ tenantId, siteId } as Shop, given)
  const quiet = await world.database.writer.read(listQuietSites(tenantId, new Date(hour)))
  expect(quiet.length).toBeGreaterThan(1)
  for (const { siteId, hours } of quiet) {
    const { countAt, first } = traffic.find((one) => one.siteId === siteId) as (typeof traffic)[number]
    for (let hoursAgo = 0; hoursAgo < 167; hoursAgo++) {
      const time = hour - hoursAgo * hourMs
      const weeks = [1, 2, 3, 4].map((week) => time - week * 7 * dayMs).filter((earlier) => earlier >= first)
      const sum = weeks.reduce((total, earlier) => total + (countAt.get(earlier) ?? 0), 0)
      const found = hours.find((one) => one.hoursAgo === hoursAgo)
      expect(found?.reports ?? 0).toBe(countAt.get(time) ?? 0)
      expect(found?.usual ?? 0).toBeCloseTo(weeks.length > 0 ? sum / weeks.length : 0, 9)
    }
  }
  const bounds = { over: 50, times: 3 }
  const since = hour - 2 * dayMs
  const expected = traffic.flatMap(({ siteId, given, first, countAt, weight }) =>
    given.flatMap(({ time, count }) => {
      const days = [1, 2, 3, 4, 5, 6, 7].map((day) => time - day * dayMs).filter((earlier) => earlier >= first)
      const mean = days.reduce((total, earlier) => total + (countAt.get(earlier) ?? 0), 0) / days.length
      const isBurst = time >= since && days.length > 0 && count * weight > bounds.over && count >= bounds.times * mean
      return isBurst
        ? [`${siteId} ${new Date(time).toISOString()} ${count * weight} ${(mean * weight).toFixed(6)}`]
        : []
    }),
  )
  const bursts = await world.database.writer.read(listBursts(tenantId, new Date(since), bounds))
  expect(expected.length).toBeGreaterThan(3)
  expect(bursts.map((one) => `${one.siteId} ${one.hour} ${one.reports} ${one.usual.toFixed(6)}`).sort()).toEqual(
    expected.sort(),
  )
}, 300_000)
