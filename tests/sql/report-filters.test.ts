import { expect, test } from 'vitest'
import { countReports } from '../../queries/reports/count-reports.ts'
import { histogramReports } from '../../queries/reports/histogram-reports.ts'
import { listValues } from '../../queries/reports/values.ts'
import type { Query } from '../../queries/sql/query.ts'
import { render } from '../../queries/sql/sql.ts'
import { dayMs, hourMs } from '../../schema/durations.ts'
import type { FilterTerm, ReportFilter } from '../../schema/report-filter.ts'
import { sqlText } from '../support/sql-text.ts'

const tenant = '11111111-1111-4111-8111-111111111111'
const site = '22222222-2222-4222-8222-222222222222'
const ragged = { from: 10 * dayMs + 5, to: 12 * dayMs + 2 * hourMs + 7 }

const csp = (terms: ReportFilter['terms'] = []): ReportFilter => ({ reportType: 'csp-violation', terms })
const tables = (queries: readonly Query<unknown>[]) =>
  queries.flatMap((query) => [...sqlText(query).matchAll(/FROM (\w+) (?:PRE)?WHERE/g)].map(([, table]) => table))

const site1 = { dimension: 'siteId', operator: 'any', values: [site] } as const
const directive = { dimension: 'directive', operator: 'any', values: ['img-src'] } as const
const host = { dimension: 'blockedHost', operator: 'any', values: ['x'] } as const
const browser = { dimension: 'browserName', operator: 'any', values: ['Chrome'] } as const
const page = { dimension: 'documentHost', operator: 'any', values: ['y'] } as const

test('a filter of noise reads the table of the count without it', () => {
  const filters = [[], [directive], [host], [directive, browser], [page, host], [site1, host]] as const
  for (const terms of filters) {
    const expected = tables(countReports(tenant, ragged, csp(terms)))
    expect(tables(countReports(tenant, ragged, { ...csp(terms), noise: false }))).toEqual(expected)
  }
  const [query] = countReports(tenant, { from: 0, to: hourMs }, { ...csp(), noise: true })
  expect(query && sqlText(query)).toContain('AND noise = {p2:Bool}')
})

test.each<[string, FilterTerm, readonly string[]]>([
  ['several of few', { ...directive, values: ['a', 'b'] }, ['reports_per_hour_by_cube_value', 'reports']],
  ['others of few', { ...directive, operator: 'not' }, ['reports_per_hour_by_cube_value', 'reports']],
  ['several of many', { ...host, values: ['x', 'y'] }, ['reports_per_hour_by_value', 'reports']],
  [
    'others of many',
    { ...host, operator: 'not' },
    ['reports_per_day_by_value', 'reports_per_hour_by_value_time_ordered', 'reports'],
  ],
  [
    'a part of many',
    { ...host, operator: 'contains', values: ['x_'] },
    ['reports_per_day_by_value', 'reports_per_hour_by_value_time_ordered', 'reports'],
  ],
])('a count of %s reads the rollup of its dimension', (_, term, expected) => {
  expect(tables(countReports(tenant, ragged, csp([term])))).toEqual(expected)
})

test('a count of one issue reads the rollup of issues, and by another dimension raw rows', () => {
  const ofIssue = (terms: ReportFilter['terms']) => ({ ...csp(terms), issueKey: 7n })
  expect(tables(countReports(tenant, ragged, ofIssue([site1])))).toEqual(['reports_per_day_by_issue', 'reports'])
  expect(tables(countReports(tenant, ragged, ofIssue([site1, browser])))).toEqual(['reports'])
  expect(tables(histogramReports(tenant, ragged, ofIssue([site1]), '1h'))).toEqual(['reports'])
})

test('several values are one bound array, patterns and parts bound texts', () => {
  const conditions = (...terms: FilterTerm[]) => {
    const [query] = countReports(tenant, { from: 0, to: hourMs }, csp(terms))
    const { text = '', params = {} } = query ? render(query.statement) : {}
    const [, where] = /AND dimension = \{p2:String\} AND (.*) AND \(bucket >= /.exec(text) ?? []
    return [where, params.p3, params.p4, params.p5]
  }
  expect(conditions({ ...directive, values: ['', 'a', 'b_%'] }).slice(0, 3)).toEqual([
    '(value IN {p3:Array(String)} OR value LIKE {p4:String})',
    ['', 'a'],
    'b_\\%',
  ])
  expect(conditions({ ...directive, operator: 'not', values: ['a'] }).slice(0, 2)).toEqual([
    'NOT (value = {p3:String})',
    'a',
  ])
  expect(conditions({ ...directive, operator: 'contains', values: ['_%'] }).slice(0, 2)).toEqual([
    'position(value, {p3:String}) > 0',
    '_%',
  ])
})

test('values are a ranking without times, whose text is compared in each slice', () => {
  const query = { tenantId: tenant, window: { from: 0, to: dayMs }, ...csp(), limit: 21 }
  const few = listValues({ ...query, dimension: 'directive', part: undefined })
  expect(sqlText(few)).toBe(
    "SELECT key AS value, sum(counted) AS reportCount, toString(sum(weighted)) AS weight FROM (SELECT toString(value) AS key, sum(report_count) AS counted, sum(weight) AS weighted FROM reports_per_hour_by_cube_value WHERE tenant_id = {p0:UUID} AND report_type = {p1:String} AND dimension = {p2:String} AND (bucket >= {p3:DateTime('UTC')} AND bucket < {p4:DateTime('UTC')}) GROUP BY key) GROUP BY key ORDER BY reportCount DESC, key LIMIT {p5:UInt64}",
  )
  const hosts = listValues({ ...query, window: ragged, dimension: 'blockedHost', part: "a_%'" })
  expect(tables([hosts])).toEqual(['reports_per_day_by_value', 'reports_per_hour_by_value_time_ordered', 'reports'])
  expect(sqlText(hosts).match(/ AND position\(toString\(\w+\), \{p\d+:String\}\) > 0 GROUP BY key/g)).toHaveLength(3)
  expect(Object.values(render(hosts.statement).params)).toContain("a_%'")
  const pages = listValues({ ...query, window: ragged, dimension: 'page', part: undefined })
  expect(tables([pages])).toEqual(['reports_per_day_by_page', 'reports'])
})
