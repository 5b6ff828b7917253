import { describe, expect, test } from 'vitest'
import { listBrowserChanges } from '../../queries/browser-changes/browser-changes.ts'
import { countChangesByBrowser } from '../../queries/browser-changes/count-changes-by-browser.ts'
import { listCrashGroups } from '../../queries/crashes/crash-groups.ts'
import { listCspPolicies } from '../../queries/csp-policies/csp-policies.ts'
import { listIssues } from '../../queries/issues/issues.ts'
import type { Query } from '../../queries/sql/query.ts'
import { render } from '../../queries/sql/sql.ts'
import { dayMs } from '../../schema/durations.ts'
import { pageMatch } from '../../schema/rules/scans/page-pattern.ts'
import { groupQueries } from '../support/group-queries.ts'
import { sqlText } from '../support/sql-text.ts'
import { tablesRead } from '../support/tenant-scope.ts'

const tenant = '11111111-1111-4111-8111-111111111111'
const site = '22222222-2222-4222-8222-222222222222'

const tables = (query: Query<unknown>) => [...sqlText(query).matchAll(/FROM (\w+) WHERE/g)].map(([, table]) => table)
const tablesOf = (window: { from: number; to: number }) =>
  Object.fromEntries(groupQueries(tenant, window, site).map((query) => [query.name, tables(query)]))

test('every query names its tenant beside each table that it reads', () => {
  for (const query of groupQueries(tenant, { from: dayMs - 5, to: 3 * dayMs + 7 }, site)) {
    const read = tablesRead(sqlText(query))
    expect(read.length, query.name).toBeGreaterThan(0)
    expect(
      read.filter(({ isScoped }) => !isScoped),
      query.name,
    ).toEqual([])
  }
})

describe('the tables of groups', () => {
  const crashes = 'crashes_per_day_by_group'
  const errors = 'network_errors_per_day_by_group'
  const changes = 'browser_changes_per_day_by_page'

  test('groups read the rollup for whole days and raw rows at the edges', () => {
    expect(tablesOf({ from: dayMs - 5, to: 3 * dayMs + 7 })).toEqual({
      listIssues: ['reports_per_day_by_issue', 'reports'],
      listIssueDetails: ['reports_per_day_by_issue', 'reports'],
      findIssue: ['reports_per_day_by_issue', 'reports'],
      listBrowserChanges: [changes, 'reports'],
      countChangesByBrowser: ['reports_per_day_by_document_host_cube', 'reports'],
      listBrowserChangeDetails: [changes, 'reports'],
      listBrowserChangeTexts: ['reports'],
      listCspPolicies: ['reports_per_day_by_page', 'reports'],
      listCspPolicyTexts: ['reports'],
      findPolicyKeys: ['reports', 'reports_per_day_by_page', 'reports'],
      listCspSources: ['reports_per_day_by_source', 'reports'],
      listCspSourceDetails: ['reports_per_day_by_source', 'reports'],
      listCspSourceExamples: ['reports_per_day_by_source', 'reports'],
      listCspEvidence: ['reports_per_day_by_issue', 'reports'],
      listCrashGroups: [crashes, 'reports'],
      listCrashDetails: [crashes, 'reports'],
      listCrashTexts: ['reports'],
      listNetworkErrorGroups: [errors, 'reports'],
      listNetworkErrorDetails: [errors, 'reports'],
      listNetworkErrorTexts: ['reports'],
    })
  })

  test('browser changes of all sites read the smaller rollup by entry where it has the measures', () => {
    const reportTypes = ['deprecation', 'intervention'] as const
    const filter = { tenantId: tenant, window: { from: 0, to: 3 * dayMs }, siteId: undefined, reportTypes }
    expect(tables(listBrowserChanges(filter, undefined, 5))).toEqual(['browser_changes_per_day_by_entry'])
    expect(tables(countChangesByBrowser(filter))).toEqual(['reports_per_hour_by_cube_value'])
  })

  test('a list of issues reads the raw rows of six hours first, then the last whole day', () => {
    const filter = {
      tenantId: tenant,
      window: { from: 0, to: 3 * dayMs },
      siteId: undefined,
      reportTypes: ['coep'] as const,
    }
    const of = (...after: Parameters<typeof listIssues>[1][]) =>
      after.map((one) => listIssues(filter, one, 5).map(tables))
    const later = { lastSeen: 9 * dayMs, key: '7' }
    const rollup = ['reports_per_day_by_issue']
    expect(of(undefined, later)).toEqual([
      [['reports'], rollup, rollup],
      [['reports'], rollup, rollup],
    ])
    expect(of({ lastSeen: dayMs / 5, key: '7' })).toEqual([[rollup]])
  })

  test('whole days read the rollup alone; part of a day and an empty window read raw rows alone', () => {
    expect(tablesOf({ from: dayMs, to: 3 * dayMs }).listCrashGroups).toEqual([crashes])
    expect(tablesOf({ from: dayMs + 1, to: 2 * dayMs - 1 }).listCrashGroups).toEqual(['reports'])
    expect(tablesOf({ from: dayMs, to: dayMs }).listCrashGroups).toEqual(['reports'])
  })
})

test('a list of groups after a position is one statement with bound values', () => {
  const filter = { tenantId: tenant, window: { from: 0, to: dayMs }, siteId: site, reason: 'oom' }
  const query = listCrashGroups(filter, { weight: '5', key: '18446744073709551615' }, 51)
  expect({ text: sqlText(query), params: render(query.statement).params }).toEqual({
    text: "SELECT toString(group_key) AS key, sum(slice_reportCount) AS reportCount, toString(sum(slice_weight)) AS weight, min(slice_firstSeen) AS firstSeen, max(slice_lastSeen) AS lastSeen, uniqExact(nullIf(any(slice_pageCount), cityHash64(''))) OVER () AS pageCount, toUnixTimestamp64Milli(max(slice_lastStackAt)) AS lastStackAt, toBool((sum(slice_weight) < {p0:UInt64} OR (sum(slice_weight) = {p0:UInt64} AND group_key > {p1:UInt64}))) AS isListed, sum(reportCount) OVER () AS totalReportCount, toString(sum(sum(slice_weight)) OVER ()) AS totalWeight, count() OVER () AS groupCount FROM (SELECT group_key AS group_key, sum(report_count) AS slice_reportCount, sum(weight) AS slice_weight, min(first_seen_at) AS slice_firstSeen, max(last_seen_at) AS slice_lastSeen, any(cityHash64(page)) AS slice_pageCount, max(last_stack_at) AS slice_lastStackAt FROM crashes_per_day_by_group WHERE tenant_id = {p2:UUID} AND report_type = 'crash' AND site_id = {p3:UUID} AND feature = {p4:String} AND (bucket >= {p5:DateTime('UTC')} AND bucket < {p6:DateTime('UTC')}) GROUP BY group_key) GROUP BY group_key ORDER BY isListed DESC, sum(slice_weight) DESC, group_key LIMIT {p7:UInt64}",
    params: {
      p0: '5',
      p1: '18446744073709551615',
      p2: tenant,
      p3: site,
      p4: 'oom',
      p5: '1970-01-01 00:00:00',
      p6: '1970-01-02 00:00:00',
      p7: '51',
    },
  })
})

test('a list of browser changes continues after its position, with or without a removal date', () => {
  const list = (anticipatedRemoval: number | null) => {
    const filter = {
      tenantId: tenant,
      window: { from: 0, to: dayMs },
      siteId: undefined,
      reportTypes: ['crash'] as const,
    }
    const query = listBrowserChanges(filter, { anticipatedRemoval, weight: '5', key: '7' }, 51)
    return { text: sqlText(query), params: render(query.statement).params }
  }
  const behind = (first: number) =>
    `(sum(slice_weight) < {p${first}:UInt64} OR (sum(slice_weight) = {p${first}:UInt64} AND group_key > {p${first + 1}:UInt64}))`
  const dated = list(1_000)
  expect(dated.text).toContain(
    `, toBool((anticipatedRemoval IS NULL OR anticipatedRemoval > {p0:DateTime64(3, 'UTC')} OR (anticipatedRemoval = {p0:DateTime64(3, 'UTC')} AND ${behind(1)}))) AS isListed, `,
  )
  expect(dated.text).toContain(
    ' ORDER BY isListed DESC, anticipatedRemoval NULLS LAST, sum(slice_weight) DESC, group_key LIMIT {p7:UInt64}',
  )
  expect(dated.params).toMatchObject({ p0: '1970-01-01 00:00:01.000', p1: '5', p2: '7', p7: '51' })
  expect(list(null).text).toContain(`, toBool(anticipatedRemoval IS NULL AND ${behind(0)}) AS isListed, `)
})

test('a page is matched by its bound prefix, for the primary key, and by its bound expression', () => {
  const page = pageMatch('https://a.test/b.c/*')
  const { statement } = listCspPolicies(
    { tenantId: tenant, window: { from: 5, to: 2 * dayMs }, siteId: site, page },
    201,
  )
  const { text, params } = render(statement)
  expect(text).toMatch(
    / FROM reports_per_day_by_page WHERE .* AND startsWith\(page, \{p\d:String\}\) AND match\(page, \{p\d:String\}\)/,
  )
  expect(text).toMatch(/ FROM reports WHERE .* AND startsWith\(cutQueryString\(document_url\), \{p\d+:String\}\)/)
  expect(Object.values(params)).toEqual(
    expect.arrayContaining(['https://a.test/b.c/', '^https://a\\.test/b\\.c/[^/]*$']),
  )
})
