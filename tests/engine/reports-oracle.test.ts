import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomReports } from '../../fixtures/reports.ts'
import { chooseBucketSize } from '../../queries/reports/histogram-reports.ts'
import type { DimensionName } from '../../schema/dimensions.ts'
import { day } from '../../schema/durations.ts'
import type { Report } from '../../schema/replies/report.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { oracleCount, oracleGrouped, oracleHistogram, oracleList, oracleTypes } from '../support/report-oracle.ts'
import { type ReportQuestion, reportQuestion, windowWithin } from '../support/report-questions.ts'
import type { TestKey } from '../support/tenants.ts'

const retentionDays = 62

const now = Date.now()
const retentionFrom = (Math.floor(now / day) - retentionDays) * day

let api: TestApi
let key: TestKey
let rows: StoredReport[]
let siteIds: string[]

beforeAll(async () => {
  api = await startApi({ now: () => new Date(now) })
  const overrides = { retentionDays, keyLimit: 1_000_000, tenantLimit: 1_000_000 }
  const tenantId = await api.createTenant({ overrides })
  const strangerId = await api.createTenant({ overrides })
  siteIds = await Promise.all([1, 2, 3].map(() => api.createSite(tenantId)))
  key = await api.createKey(tenantId)
  const random = { count: 6_000, siteIds, from: new Date(retentionFrom), to: new Date(now) }
  rows = randomReports({ ...random, seed: now, tenantId })
  const strange = randomReports({ ...random, seed: now + 1, tenantId: strangerId })
  // Several inserts, so that a rollup's rows lie in several parts.
  const size = 1_500
  for (let at = 0; at < rows.length; at += size) await api.insertReports(rows.slice(at, at + size))
  await api.insertReports(strange)
})

afterAll(() => api?.close())

async function ask(path: string, params: Record<string, string | number | undefined>) {
  const set = Object.entries(params).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(set.map(([name, value]): [string, string] => [name, String(value)]))
  const { status, body } = await api.get(`${path}?${query}`, { key })
  expect(body).not.toHaveProperty('error')
  expect(status).toBe(200)
  return body
}

const asked = ({ reportType, filters, window }: ReportQuestion) => ({
  reportType,
  ...filters,
  from: new Date(window.from).toISOString(),
  to: new Date(window.to).toISOString(),
})

const runs = (numRuns: number) => ({ numRuns, seed: now })
const question = (maxDays = 31, among?: readonly DimensionName[]) =>
  reportQuestion(rows, retentionFrom, now, maxDays, among)

/** Ends at the first difference, without looking for a smaller question: each costs requests. */
async function holds(property: fc.IAsyncProperty<[ReportQuestion]>, numRuns: number) {
  await fc.assert(property, { ...runs(numRuns), endOnFailure: true })
}

describe('the API answers as the oracle does, on random types, filters and unaligned windows', () => {
  test('count', async () => {
    await holds(
      fc.asyncProperty(question(), async (one) => {
        const { data } = await ask('/v1/reports/count', asked(one))
        expect(data).toEqual(oracleCount(rows, one.window, one.reportType, one.filters))
      }),
      80,
    )
  })

  const histogram = async (one: ReportQuestion) => {
    const { data } = await ask('/v1/reports/histogram', { ...asked(one), bucketSize: one.bucketSize })
    const bucketSize = chooseBucketSize(one.window, one.bucketSize)
    expect(data).toEqual(oracleHistogram(rows, one.window, one.reportType, one.filters, bucketSize))
  }

  test('histogram', async () => {
    await holds(fc.asyncProperty(question(), histogram), 60)
  })

  test('histogram of hosts', async () => {
    await holds(fc.asyncProperty(question(31, ['documentHost']), histogram), 40)
  })

  const groups = async (one: ReportQuestion) => {
    const { groupBy, limit } = one
    const body = await ask('/v1/reports/grouped', { ...asked(one), groupBy: groupBy.join(), limit })
    expect(body.groupBy).toEqual(groupBy)
    expect(body.data).toEqual(
      oracleGrouped(rows, one.window, retentionFrom, one.reportType, one.filters, groupBy, limit),
    )
  }

  test('grouped', async () => {
    await holds(fc.asyncProperty(question(), groups), 100)
  })

  // Dimensions that a rollup holds together, which questions about any would rarely all be of.
  test.each<[string, readonly DimensionName[]]>([
    ['pages', ['siteId', 'documentHost', 'browserName', 'disposition']],
    ['blocked hosts', ['blockedHost', 'directive', 'browserName', 'osName', 'disposition']],
    ['both hosts', ['siteId', 'documentHost', 'directive', 'blockedHost']],
    ['one host', ['documentHost']],
  ])('grouped by dimensions of %s', async (_, among) => {
    await holds(fc.asyncProperty(question(31, among), groups), 40)
  })

  test('types', async () => {
    const windows = windowWithin(retentionFrom, now, 31)
    await fc.assert(
      fc.asyncProperty(windows, fc.option(fc.constantFrom(...siteIds), { nil: undefined }), async (window, siteId) => {
        const times = { from: new Date(window.from).toISOString(), to: new Date(window.to).toISOString() }
        const { data } = await ask('/v1/reports/types', { ...times, siteId })
        expect(data).toEqual(oracleTypes(rows, window, siteId))
      }),
      runs(60),
    )
  })

  test('list, page by page', async () => {
    await holds(
      fc.asyncProperty(question(7), async (one) => {
        const limit = Math.max(7, one.limit)
        const answered: Report[] = []
        let cursor: string | undefined
        do {
          const body = await ask('/v1/reports', { ...asked(one), limit, cursor })
          expect(body.data.length).toBeLessThanOrEqual(limit)
          answered.push(...body.data)
          cursor = body.nextCursor ?? undefined
        } while (cursor)
        expect(answered).toEqual(oracleList(rows, one.window, one.reportType, one.filters))
      }),
      60,
    )
  })
})
