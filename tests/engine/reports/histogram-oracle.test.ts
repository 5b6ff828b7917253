import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chooseBucketSize } from '../../../queries/reports/histogram-reports.ts'
import type { DimensionName } from '../../../schema/dimensions.ts'
import { dayMs } from '../../../schema/durations.ts'
import { bucketSizes } from '../../../schema/enumerations.ts'
import { clockOf } from '../../oracles/clock-oracle.ts'
import { oracleBuckets, oracleSeries } from '../../oracles/histogram-oracle.ts'
import type { OracleWindow } from '../../oracles/oracle-parts.ts'
import { now, type OracleWorld, optional, runs, startOracleWorld, windowParams } from '../../oracles/oracle-world.ts'
import { matching } from '../../oracles/report-oracle.ts'
import { queryText } from '../../support/query-text.ts'
import { type ReportRequest, reportRequest, windowWithin } from '../../support/report-requests.ts'

/** More than a year, so that each zone changes its clock both ways. */
const retentionDays = 400
const from = (Math.floor(now / dayMs) - retentionDays) * dayMs

/** Changes by an hour and by half an hour, at midnight, and none; whole hours from UTC, half ones and quarters. */
const zones = [
  ...['Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Africa/Cairo', 'America/Havana'],
  ...['America/New_York', 'America/Santiago', 'America/St_Johns', 'Pacific/Chatham', 'Pacific/Kiritimati', 'UTC'],
]
const span = { from: from - 3 * dayMs, to: now + 3 * dayMs }
const clocks = new Map(zones.map((zone) => [zone, clockOf(zone, span)]))
const clock = (zone: string) => clocks.get(zone) ?? clockOf(zone, span)

let world: OracleWorld

beforeAll(async () => {
  world = await startOracleWorld({
    count: 9_000,
    siteCount: 3,
    retentionDays,
    // Half of the reports are a millisecond around a quarter of an hour, where other days and hours begin.
    change: (row, index) => {
      const edge = Math.round(row.receivedAt / 900_000) * 900_000 + (index % 3) - 1
      return [index % 2 === 0 && edge >= from && edge < now ? { ...row, receivedAt: edge } : row]
    },
  })
})

afterAll(() => world?.api.close())

interface HistogramRequest extends Pick<ReportRequest, 'reportType' | 'filters' | 'window'> {
  readonly bucketSize: keyof typeof bucketSizes
  readonly timeZone: string | undefined
  readonly series: { readonly groupBy: DimensionName; readonly top: number } | undefined
}

async function expectHistogram({ reportType, filters, window, bucketSize, timeZone, series }: HistogramRequest) {
  const { api, key, rows } = world
  const params = { ...windowParams(window), reportType, ...filters, bucketSize, timeZone, ...series }
  const { status, body } = await api.get(`/v1/reports/histogram?${queryText(params)}`, { key })
  expect(body).not.toHaveProperty('error')
  expect(status).toBe(200)
  const most = series && Math.min(10_000, Math.floor(100_000 / (series.top + 1)))
  const size = chooseBucketSize(window, bucketSize, most)
  const bounds = boundsOf(window, size, timeZone)
  const found = matching(rows, window, reportType, filters)
  expect(body).toEqual({
    data: {
      bucketSize: size,
      buckets: oracleBuckets(found, window, bounds),
      ...(series && { series: oracleSeries(found, window, bounds, series.groupBy, series.top) }),
    },
    window: windowParams(window),
  })
  if (series) {
    const sums = body.data.buckets.map((_: unknown, index: number) =>
      body.data.series.reduce(
        (sum: number, { reportCounts }: { reportCounts: number[] }) => sum + (reportCounts[index] ?? Number.NaN),
        0,
      ),
    )
    expect(sums).toEqual(body.data.buckets.map(({ reportCount }: { reportCount: number }) => reportCount))
  }
}

function boundsOf(window: OracleWindow, size: keyof typeof bucketSizes, timeZone = 'UTC'): readonly number[] {
  if (size === '1d' || size === '1h') {
    const times = clock(timeZone)[size]
    return times.slice(times.findLastIndex((time) => time <= window.from))
  }
  const width = bucketSizes[size]
  const first = Math.floor(window.from / width)
  return Array.from({ length: Math.ceil(window.to / width) - first + 1 }, (_, index) => (first + index) * width)
}

/** Windows of which each end is random or, in half of the cases, the start of one of the zone's days or hours. */
function windowsOf(timeZone: string, among: OracleWindow = { from, to: now }): fc.Arbitrary<OracleWindow> {
  const aligned = fc.constantFrom('1d' as const, '1h' as const)
  return fc
    .tuple(windowWithin(among.from, among.to, 28), aligned, fc.boolean(), fc.boolean())
    .map(([window, ...how]) => {
      const [size, first, last] = how
      const times = clock(timeZone)[size]
      const start = times.findLast((time) => time <= window.from && time >= among.from)
      const end = times.find((time) => time >= window.to && time <= among.to)
      return { from: (first ? start : undefined) ?? window.from, to: (last ? end : undefined) ?? window.to }
    })
}

function requests(timeZone: string | undefined, among?: OracleWindow, dimensions?: readonly DimensionName[]) {
  const random = reportRequest(world.rows, from, now, 31, dimensions)
  const top = fc.oneof(fc.constantFrom(1, 5, 20), fc.integer({ min: 1, max: 20 }))
  return fc
    .tuple(random, windowsOf(timeZone ?? 'UTC', among), optional([true]), top)
    .map(([one, window, grouped, top]) => {
      const [groupBy] = one.groupBy
      const series = groupBy && (grouped || timeZone === undefined) ? { groupBy, top } : undefined
      return { ...one, window, timeZone, series }
    })
}

async function holds(arbitrary: fc.Arbitrary<HistogramRequest>, numRuns: number) {
  await fc.assert(fc.asyncProperty(arbitrary, expectHistogram), runs(numRuns))
}

describe('a histogram agrees with the oracle', () => {
  test('in series of any dimension', async () => {
    await holds(requests(undefined), 40)
  })

  // Dimensions that a rollup holds together, which random ones rarely are.
  test.each<[string, readonly DimensionName[]]>([
    ['few values', ['directive', 'browserName', 'disposition']],
    ['one host', ['documentHost']],
    ['both hosts', ['siteId', 'documentHost', 'directive', 'blockedHost']],
    ['pages', ['siteId', 'page', 'disposition']],
  ])('in series of %s', async (_, dimensions) => {
    await holds(requests(undefined, undefined, dimensions), 15)
  })

  test.each(zones)('in days and hours of %s, in series or not', async (timeZone) => {
    await holds(requests(timeZone), 8)
  })
})

/** Around each change of the zone's clock: days of 23 and 25 hours, and by half an hour. */
function changesOf(timeZone: string): OracleWindow[] {
  const { '1d': days } = clock(timeZone)
  return days.flatMap((start, index) => {
    const end = days[index + 1]
    if (end === undefined || end - start === dayMs || start < from + dayMs || end > now - dayMs) return []
    return [{ from: start - dayMs, to: end + dayMs }]
  })
}

describe.each(['Europe/Berlin', 'Australia/Lord_Howe', 'Africa/Cairo', 'America/Havana'])('%s', (timeZone) => {
  test('has days of another length at both changes, whose sums agree with the oracle', async () => {
    const changes = changesOf(timeZone)
    expect(changes.length).toBeGreaterThanOrEqual(2)
    for (const days of changes) {
      const around = { from: Math.max(from, days.from - 8 * dayMs), to: Math.min(now, days.to + 8 * dayMs) }
      const inDays = requests(timeZone, around).map((one) => ({ ...one, bucketSize: '1d' as const }))
      await holds(inDays, 6)
      await expectHistogram({
        reportType: 'csp-violation',
        filters: {},
        window: days,
        bucketSize: '1d',
        timeZone,
        series: { groupBy: 'directive', top: 5 },
      })
    }
  })
})
