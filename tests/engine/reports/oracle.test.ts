import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chooseBucketSize } from '../../../queries/reports/histogram-reports.ts'
import type { DimensionName } from '../../../schema/dimensions.ts'
import type { Report } from '../../../schema/responses/report.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { now, retentionFrom, runs, startOracleWorld, windowParams } from '../../oracles/oracle-world.ts'
import { oracleCount, oracleGrouped, oracleHistogram, oracleList, oracleTypes } from '../../oracles/report-oracle.ts'
import type { TestApi } from '../../support/api.ts'
import { type ReportRequest, reportRequest, windowWithin } from '../../support/report-requests.ts'
import type { TestKey } from '../../support/tenants.ts'

let api: TestApi
let key: TestKey
let rows: readonly StoredReport[]
let siteIds: readonly string[]

beforeAll(async () => {
  ;({ api, key, rows, siteIds } = await startOracleWorld({ count: 6_000, siteCount: 3 }))
})

afterAll(() => api?.close())

async function request(path: string, params: Record<string, string | number | undefined>) {
  const set = Object.entries(params).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(set.map(([name, value]): [string, string] => [name, String(value)]))
  const { status, body, text } = await api.get(`${path}?${query}`, { key })
  expect(body).not.toHaveProperty('error')
  expect(status).toBe(200)
  return { body, text }
}

const send = async (...[path, params]: Parameters<typeof request>) => (await request(path, params)).body

/** Byte for byte, as no parameter is one that the contract lacks (Rule 11). */
async function expectBody(path: string, params: Parameters<typeof request>[1], body: object) {
  const response = await request(path, params)
  expect(response.body).toEqual(body)
  expect(response.text).toBe(JSON.stringify(body))
}

const filtered = ({ reportType, filters, window }: ReportRequest) => ({
  reportType,
  ...filters,
  ...windowParams(window),
})

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
        await expectBody('/v1/reports/count', filtered(one), { data })
      }),
      80,
    )
  })

  const histogram = async (one: ReportRequest) => {
    const bucketSize = chooseBucketSize(one.window, one.bucketSize)
    const data = oracleHistogram(rows, one.window, one.reportType, one.filters, bucketSize)
    await expectBody('/v1/reports/histogram', { ...filtered(one), bucketSize: one.bucketSize }, { data })
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
    await expectBody('/v1/reports/grouped', { ...filtered(one), groupBy: groupBy.join(), limit }, { groupBy, data })
  }

  test('grouped', async () => {
    await holds(fc.asyncProperty(randomRequest(), groups), 100)
  })

  // Dimensions that a rollup holds together, which random ones rarely are.
  test.each<[string, readonly DimensionName[]]>([
    ['pages', ['siteId', 'documentHost', 'browserName', 'disposition']],
    ['blocked hosts', ['blockedHost', 'directive', 'browserName', 'osName', 'disposition']],
    ['both hosts', ['siteId', 'documentHost', 'directive', 'blockedHost']],
    ['one host', ['documentHost']],
  ])('grouped by dimensions of %s', async (_, among) => {
    await holds(fc.asyncProperty(randomRequest(31, among), groups), 40)
  })

  test('types', async () => {
    const windows = windowWithin(retentionFrom, now, 31)
    await fc.assert(
      fc.asyncProperty(windows, fc.option(fc.constantFrom(...siteIds), { nil: undefined }), async (window, siteId) => {
        const data = oracleTypes(rows, window, siteId)
        await expectBody('/v1/reports/types', { ...windowParams(window), siteId }, { data })
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
