import { afterAll, beforeAll, expect, test } from 'vitest'
import { issuePosition } from '../../../app/endpoints/issues/issue-listing.ts'
import { type IssuePosition, listIssues, type RankedIssue } from '../../../queries/issues/issues.ts'
import { countReports, countReportTypes } from '../../../queries/reports/count-reports.ts'
import { countSeries } from '../../../queries/reports/count-series.ts'
import { groupReports } from '../../../queries/reports/group-reports.ts'
import { estimateHistogram, histogramReports } from '../../../queries/reports/histogram-reports.ts'
import { listReports } from '../../../queries/reports/list-reports.ts'
import { reportColumn } from '../../../queries/rollups/columns.ts'
import type { Query } from '../../../queries/sql/query.ts'
import { render } from '../../../queries/sql/sql.ts'
import { listImportSteps } from '../../../queries/tenants/imports.ts'
import { type DimensionName, dimensionNames, dimensionRows } from '../../../schema/dimensions.ts'
import { dayMs } from '../../../schema/durations.ts'
import { issueTypeNames } from '../../../schema/report-types.ts'
import { bucketsOf } from '../../../schema/rules/time/buckets.ts'
import { bigTenant } from '../../bench/bench-data.ts'
import { loadEngine } from '../../bench/engine-load.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'

const reports = 200_000
const to = Date.now()
/** Not aligned with any bucket. */
const window = { from: to - 31.5 * dayMs, to: to - 0.5 * dayMs }
const previous = { from: window.from - (window.to - window.from) + dayMs, to: window.from }

let db: TestDatabase

beforeAll(async () => {
  db = await createMigratedDatabase()
  await loadEngine(db.writer, { rounds: [reports], from: to - 62 * dayMs, days: 62 }, 0, async () => undefined)
})

afterAll(() => db?.drop())

async function rowsRead(queries: readonly Query<unknown>[]): Promise<number> {
  const costs = await Promise.all(
    queries.map(async (query) => {
      let rows = 0
      await db.reader.read(query, {
        onCost({ rowsRead }) {
          rows += rowsRead
        },
      })
      return rows
    }),
  )
  return costs.reduce((sum, rows) => sum + rows, 0)
}

const csp = (filters: Partial<Record<DimensionName, string>> = {}) => ({
  reportType: 'csp-violation' as const,
  terms: Object.entries(filters).map(([dimension, value]) => ({
    dimension: dimension as DimensionName,
    operator: 'any' as const,
    values: [value],
  })),
})
const inDays = (timeZone: string) => ({
  tenantId: bigTenant,
  window,
  filter: csp({ directive: 'img-src' }),
  buckets: bucketsOf(window, '1d', timeZone),
})
const grouped = (groupBy: DimensionName[]) => [
  groupReports({ tenantId: bigTenant, window, previous, ...csp(), groupBy, limit: 20 }),
]

test.each<[string, () => readonly Query<unknown>[]]>([
  ['a count', () => countReports(bigTenant, window, csp())],
  ['a count of a host', () => countReports(bigTenant, window, csp({ blockedHost: 'cdn40.thirdparty.test' }))],
  ['a count of types', () => countReportTypes(bigTenant, window, { terms: [] })],
  ['a histogram', () => histogramReports(bigTenant, window, csp(), '1h')],
  ['a histogram of a directive', () => histogramReports(bigTenant, window, csp({ directive: 'img-src' }), '1h')],
  ['a histogram by minute', () => histogramReports(bigTenant, { ...window, from: window.to - 5 * dayMs }, csp(), '1m')],
  ['a histogram of Kolkata’s days', () => estimateHistogram(inDays('Asia/Kolkata'))],
  ['series of directives', () => [countSeries({ ...inDays('Europe/Berlin'), dimension: 'directive', top: 5 })]],
  ['a ranking of directives with its trend', () => grouped(['directive'])],
])('%s over a month reads rollups, and of the raw rows only the edges', async (_, queries) => {
  expect(await rowsRead(queries())).toBeLessThan(reports / 4)
})

test('a query without a rollup reads the raw rows, which proves that rows are counted', async () => {
  const filter = csp({ blockedHost: 'cdn40.thirdparty.test', documentHost: 'www1.shop.test', browserName: 'Chrome' })
  expect(await rowsRead(countReports(bigTenant, window, filter))).toBeGreaterThan(reports / 4)
})

test('every dimension with many values has a filter of its own', async () => {
  const filters = await queryRows(
    db.writer,
    "SELECT expr FROM system.data_skipping_indices WHERE database = currentDatabase() AND table = 'reports' AND type = 'bloom_filter'",
  )
  const many = dimensionNames.filter((dimension) => !dimensionRows[dimension].lowCardinality)
  expect(filters.flat()).toEqual(expect.arrayContaining(many.map((dimension) => render(reportColumn(dimension)).text)))
})

test.each([
  ['blockedHost', 'nowhere.test'],
  ['documentHost', 'nowhere.test'],
  ['page', 'https://nowhere.test/'],
  ['siteId', '3f2b8f0e-6a5c-4a36-9d0b-1f9e0c7d5a11'],
] as const)('a list of a %s that no report has reads next to no rows', async (dimension, value) => {
  const list = listReports(bigTenant, window, csp({ [dimension]: value }), { after: undefined, limit: 51 })
  expect(await db.reader.read(list)).toEqual([])
  expect(await rowsRead([list])).toBeLessThan(reports / 20)
})

test('a version lookup in a long import log reads its last hour', async () => {
  await db.writer.command(
    `INSERT INTO import_log (tenant_id, token, state, recorded_at) SELECT '${bigTenant}', hex(number), 'done', now64(3) - toIntervalSecond(number) FROM numbers(100000)`,
  )
  const steps = await db.reader.read(listImportSteps(bigTenant, 5_000))
  expect(steps.length).toBeGreaterThan(3_500)
  expect(steps.length).toBeLessThan(3_700)
  expect(await rowsRead([listImportSteps(bigTenant, 501)])).toBeLessThan(10_000)
})

test('the latest issues of the last hours and of the last day equal those of the whole window on every page', async () => {
  const filter = { tenantId: bigTenant, window, siteId: undefined, reportTypes: issueTypeNames }
  let after: IssuePosition | undefined
  for (let page = 0; page < 5; page++) {
    const queries = listIssues(filter, after, 51)
    const [hours, day, whole] = queries as [Query<RankedIssue>, Query<RankedIssue>, Query<RankedIssue>]
    const issues = await db.reader.read(whole)
    expect(issues).toHaveLength(51)
    for (const recent of [hours, day]) expect(await db.reader.read(recent)).toEqual(issues)
    expect(await rowsRead([hours])).toBeLessThan((await rowsRead([whole])) / 4)
    after = issuePosition.from(issues.at(-2) as RankedIssue)
  }
})
