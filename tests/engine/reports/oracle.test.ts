import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chooseBucketSize } from '../../../queries/reports/histogram-reports.ts'
import { type DimensionName, fieldDimensions } from '../../../schema/dimensions.ts'
import { bucketSizes } from '../../../schema/enumerations.ts'
import type { Report } from '../../../schema/responses/report.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { oracleBuckets } from '../../oracles/histogram-oracle.ts'
import { dimensionValue } from '../../oracles/oracle-parts.ts'
import { now, retentionFrom, runs, startOracleWorld, windowParams } from '../../oracles/oracle-world.ts'
import type { OracleFilters } from '../../oracles/report-filters.ts'
import {
  matching,
  oracleCount,
  oracleGrouped,
  oracleHistogram,
  oracleList,
  oracleTypes,
} from '../../oracles/report-oracle.ts'
import type { TestApi } from '../../support/api.ts'
import { queryText } from '../../support/query-text.ts'
import { everyTypeFilters, type ReportRequest, reportRequest, windowWithin } from '../../support/report-requests.ts'
import type { TestKey } from '../../support/tenants.ts'

let api: TestApi
let key: TestKey
let rows: readonly StoredReport[]

beforeAll(async () => {
  ;({ api, key, rows } = await startOracleWorld({ count: 6_000, siteCount: 3 }))
})

afterAll(() => api?.close())

type Params = Parameters<typeof queryText>[0]

async function request(path: string, params: Params) {
  const { status, body, text } = await api.get(`${path}?${queryText(params)}`, { key })
  expect(body).not.toHaveProperty('error')
  expect(status).toBe(200)
  return { body, text }
}

const send = async (path: string, params: Params) => (await request(path, params)).body

const filtered = ({ reportType, filters, window }: ReportRequest) => ({
  reportType,
  ...filters,
  ...windowParams(window),
})

const ofContract: readonly string[] = fieldDimensions

const hasAdditions = (filters: OracleFilters) => Object.keys(filters).some((name) => !ofContract.includes(name))

/** Byte for byte without a parameter that the contract lacks (Rule 11). */
async function expectBody(path: string, params: Params, { filters, body }: { filters: OracleFilters; body: object }) {
  const response = await request(path, params)
  expect(response.body).toEqual(body)
  if (!hasAdditions(filters)) expect(response.text).toBe(JSON.stringify(body))
}

/** Of an operation whose response has its window beside the contract's members. */
async function expectSummary(path: string, { one, more, body }: { one: ReportRequest; more?: Params; body: object }) {
  const { filters, window } = one
  const added = hasAdditions(filters) && { window: windowParams(window) }
  await expectBody(path, { ...filtered(one), ...more }, { filters, body: { ...body, ...added } })
}

const randomRequest = (maxDays = 31, among?: readonly DimensionName[]) =>
  reportRequest(rows, retentionFrom, now, maxDays, among)

async function holds(property: fc.IAsyncProperty<[ReportRequest]>, numRuns: number) {
  await fc.assert(property, runs(numRuns))
}

describe('the API agrees with the oracle on random types, filters and unaligned windows', () => {
  test('count', async () => {
    await holds(
      fc.asyncProperty(randomRequest(), async (one) => {
        const data = oracleCount(rows, one.window, one.reportType, one.filters)
        await expectSummary('/v1/reports/count', { one, body: { data } })
      }),
      80,
    )
  })

  test('counts of several values and of all others add up to the count without them, and so do noise and the rest', async () => {
    const count = async (one: ReportRequest, more: OracleFilters) => {
      const { data } = await send('/v1/reports/count', { ...filtered(one), ...more })
      return data.reportCount
    }
    await holds(
      fc.asyncProperty(randomRequest(), async (one) => {
        const [dimension = 'siteId'] = one.groupBy
        // An issue is named with its site.
        const dropped = dimension === 'siteId' ? ['siteId', 'issueId'] : [dimension]
        const others = Object.entries(one.filters).filter(
          ([parameter]) => !dropped.includes(parameter.split('.')[0] ?? ''),
        )
        const filters = Object.fromEntries(others)
        const values = [
          ...new Set(
            rows.map((row) => dimensionValue(row, dimension)).filter((value) => /^[ -[\]-~]{0,60}$/.test(value)),
          ),
        ]
        const several = values.slice(0, 3)
        const request = { ...one, filters }
        const [all, any, not] = await Promise.all([
          count(request, {}),
          count(request, { [`${dimension}.any`]: several }),
          count(request, { [`${dimension}.not`]: several }),
        ])
        expect(any + not).toBe(all)
        const { noise: _, ...quiet } = filters
        const noises = [{}, { noise: 'exclude' }, { noise: 'only' }]
        const [whole, exclude, only] = await Promise.all(
          noises.map((one) => count({ ...request, filters: { ...quiet, ...one } }, {})),
        )
        expect(exclude + only).toBe(whole)
      }),
      25,
    )
  })

  function estimatedBuckets({ window, reportType, filters }: ReportRequest, width: number) {
    const first = Math.floor(window.from / width)
    const length = Math.ceil(window.to / width) - first + 1
    const bounds = Array.from({ length }, (_, index) => (first + index) * width)
    return oracleBuckets(matching(rows, window, reportType, filters), window, bounds)
  }

  const histogram = async (one: ReportRequest) => {
    const bucketSize = chooseBucketSize(one.window, one.bucketSize)
    const data = hasAdditions(one.filters)
      ? { bucketSize, buckets: estimatedBuckets(one, bucketSizes[bucketSize]) }
      : oracleHistogram(rows, one.window, one.reportType, one.filters, bucketSize)
    await expectSummary('/v1/reports/histogram', { one, more: { bucketSize: one.bucketSize }, body: { data } })
  }

  test('histogram', async () => {
    await holds(fc.asyncProperty(randomRequest(), histogram), 60)
  })

  test('histogram of hosts', async () => {
    await holds(fc.asyncProperty(randomRequest(31, ['documentHost']), histogram), 40)
  })

  const groups = async (one: ReportRequest) => {
    const { groupBy, limit } = one
    const data = oracleGrouped(rows, one.window, retentionFrom, one.reportType, one.filters, groupBy, limit)
    const more = { groupBy: groupBy.join(), limit }
    await expectSummary('/v1/reports/grouped', { one, more, body: { groupBy, data } })
  }

  test('grouped', async () => {
    await holds(fc.asyncProperty(randomRequest(), groups), 100)
  })

  // Dimensions that a rollup holds together, which random ones rarely are.
  test.each<[string, readonly DimensionName[]]>([
    ['hosts of pages', ['siteId', 'documentHost', 'browserName', 'disposition']],
    ['pages', ['siteId', 'page', 'disposition']],
    ['blocked hosts', ['blockedHost', 'directive', 'browserName', 'osName', 'disposition']],
    ['both hosts', ['siteId', 'documentHost', 'directive', 'blockedHost']],
    ['one host', ['documentHost']],
  ])('grouped by dimensions of %s', async (_, among) => {
    await holds(fc.asyncProperty(randomRequest(31, among), groups), 40)
  })

  test('types', async () => {
    const windows = windowWithin(retentionFrom, now, 31)
    await fc.assert(
      fc.asyncProperty(windows, everyTypeFilters(rows), async (window, filters) => {
        const data = oracleTypes(rows, window, filters)
        await expectBody('/v1/reports/types', { ...windowParams(window), ...filters }, { filters, body: { data } })
      }),
      runs(60),
    )
  })

  test('list, page by page', async () => {
    await holds(
      fc.asyncProperty(randomRequest(7), async (one) => {
        const limit = Math.max(7, one.limit)
        const response: Report[] = []
        let cursor: string | undefined
        do {
          const body = await send('/v1/reports', { ...filtered(one), limit, cursor })
          expect(body.data.length).toBeLessThanOrEqual(limit)
          response.push(...body.data)
          cursor = body.nextCursor ?? undefined
        } while (cursor)
        expect(response).toEqual(oracleList(rows, one.window, one.reportType, one.filters))
      }),
      60,
    )
  })
})
