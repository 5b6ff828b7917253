import { describe, expect, test } from 'vitest'
import { countBefore, withEarlierCounts } from '../../queries/reports/count-before.ts'
import { countGroups, countReports, countReportTypes } from '../../queries/reports/count-reports.ts'
import { countSeries } from '../../queries/reports/count-series.ts'
import { groupReports, type Ranking } from '../../queries/reports/group-reports.ts'
import { estimateHistogram, histogramReports } from '../../queries/reports/histogram-reports.ts'
import { listReports } from '../../queries/reports/list-reports.ts'
import { groupHashes, rankFewValues, rankHashes } from '../../queries/reports/values.ts'
import type { Query } from '../../queries/sql/query.ts'
import { render } from '../../queries/sql/sql.ts'
import { dayMs, hourMs } from '../../schema/durations.ts'
import type { ReportFilter } from '../../schema/report-filter.ts'
import type { ReportType } from '../../schema/report-types.ts'
import { bucketsOf } from '../../schema/rules/time/buckets.ts'
import { sqlText } from '../support/sql-text.ts'

const tenant = '11111111-1111-4111-8111-111111111111'
const site = '22222222-2222-4222-8222-222222222222'
const ragged = { from: 10 * dayMs + 5, to: 12 * dayMs + 2 * hourMs + 7 }

const csp = (terms: ReportFilter['terms'] = []): ReportFilter => ({
  reportType: 'csp-violation',
  terms,
})
const tables = (queries: readonly Query<unknown>[]) =>
  queries.flatMap((query) => [...sqlText(query).matchAll(/FROM (\w+) (?:PRE)?WHERE/g)].map(([, table]) => table))

/** Ranking of pairs of hosts. */
const ofHosts: Ranking = {
  tenantId: tenant,
  window: { from: dayMs, to: 2 * dayMs },
  previous: { from: 0, to: dayMs },
  ...csp(),
  groupBy: ['documentHost', 'blockedHost'],
  limit: 20,
}

describe('the tables of a count', () => {
  const site1 = { dimension: 'siteId', operator: 'any', values: [site] } as const
  const directive = { dimension: 'directive', operator: 'any', values: ['img-src'] } as const
  const host = { dimension: 'blockedHost', operator: 'any', values: ['x'] } as const
  const browser = { dimension: 'browserName', operator: 'any', values: ['Chrome'] } as const
  const page = { dimension: 'documentHost', operator: 'any', values: ['y'] } as const

  test.each([
    ['no filter', [], ['reports_by_time']],
    ['a site', [site1], ['reports_per_hour_by_value', 'reports']],
    ['a value of many', [host], ['reports_per_hour_by_value', 'reports']],
    [
      'several values of many',
      [{ ...host, values: ['x_'] }],
      ['reports_per_day_by_value', 'reports_per_hour_by_value_time_ordered', 'reports'],
    ],
    ['a value of few', [directive], ['reports_per_hour_by_cube_value', 'reports']],
    ['values of few', [directive, browser], ['reports_per_day_by_cube', 'reports_per_hour_by_cube', 'reports']],
    ['a pair', [directive, host], ['reports_per_day_by_pair', 'reports']],
    ['a pair the other way round', [host, site1], ['reports_per_day_by_pair', 'reports']],
    ['a site and values of few', [site1, browser, directive], ['reports_per_day_by_document_host_cube', 'reports']],
    ['a site and a host of its pages', [site1, page], ['reports_per_day_by_document_host_cube', 'reports']],
    [
      'a blocked host and values of few',
      [host, browser, directive],
      ['reports_per_day_by_blocked_host_cube', 'reports'],
    ],
    ['both hosts', [page, host], ['reports_per_day_by_hosts', 'reports']],
    ['both hosts and more of theirs', [site1, page, directive, host], ['reports_per_day_by_hosts', 'reports']],
    ['both hosts and a browser', [page, host, browser], ['reports']],
    ['three that are no pair', [site1, host, browser], ['reports']],
  ])('a count with %s reads the cheapest tables', (_, terms, expected) => {
    expect(tables(countReports(tenant, ragged, csp(terms)))).toEqual(expected)
  })

  test('a count over an aligned window reads a rollup alone', () => {
    expect(tables(countReports(tenant, { from: 0, to: dayMs }, csp()))).toEqual(['reports_by_time'])
    expect(tables(countReportTypes(tenant, { from: 0, to: dayMs }, { terms: [] }))).toEqual(['reports_by_time'])
    expect(tables(countReportTypes(tenant, { from: 0, to: dayMs }, { terms: [site1] }))).toEqual([
      'reports_per_hour_by_value',
    ])
  })

  test('a histogram reads no table that is coarser than its buckets', () => {
    const two = csp([directive, host])
    const several = csp([{ ...host, values: ['x_'] }])
    expect(tables(histogramReports(tenant, ragged, csp(), '1m'))).toEqual(['reports_by_time'])
    expect(tables(histogramReports(tenant, ragged, csp(), '1d'))).toEqual(['reports_by_time'])
    expect(tables(histogramReports(tenant, ragged, csp([host]), '1m'))).toEqual(['reports'])
    expect(tables(histogramReports(tenant, ragged, csp([host]), '1h'))).toEqual([
      'reports_per_hour_by_value',
      'reports',
    ])
    expect(tables(histogramReports(tenant, ragged, several, '1h'))).toEqual([
      'reports_per_hour_by_value_time_ordered',
      'reports',
    ])
    expect(tables(histogramReports(tenant, ragged, two, '1h'))).toEqual(['reports'])
    expect(tables(histogramReports(tenant, ragged, two, '1d'))).toEqual(['reports_per_day_by_pair', 'reports'])
  })
})

test('one thread reads rollups of values, the raw rows of an hour at their edges, and a list of every report', () => {
  const few = (queries: readonly Query<unknown>[]) => queries.map(({ fewRows }) => fewRows)
  const directive = csp([{ dimension: 'directive', operator: 'any', values: ['img-src'] }])
  const pair = csp([...directive.terms, { dimension: 'blockedHost', operator: 'any', values: ['x'] }])
  const list = (filter: ReportFilter) => listReports(tenant, ragged, filter, { after: undefined, limit: 51 })
  expect(few(countReports(tenant, ragged, directive))).toEqual([true, true])
  expect(few(countReports(tenant, ragged, pair))).toEqual([true, false])
  expect(few(histogramReports(tenant, ragged, directive, '1m'))).toEqual([false])
  const buckets = bucketsOf(ragged, '1d', 'Asia/Kolkata')
  expect(few(estimateHistogram({ tenantId: tenant, window: ragged, filter: directive, buckets }))).toEqual([
    true,
    false,
  ])
  expect(few([list(csp()), list(directive), list({ ...csp(), noise: true })])).toEqual([true, false, false])
})

describe('the tables of a histogram in a time zone', () => {
  const day = Date.UTC(2026, 5, 1)
  const window = { from: day, to: day + 3 * dayMs }
  const directive = csp([{ dimension: 'directive', operator: 'any', values: ['img-src'] }])
  const estimated = (timeZone: string, size: '1h' | '1d', filter = directive) =>
    tables(estimateHistogram({ tenantId: tenant, window, filter, buckets: bucketsOf(window, size, timeZone) }))

  test('days of whole hours read hours, and other days those between their first and last one', () => {
    expect(estimated('UTC', '1d')).toEqual(['reports_per_hour_by_cube_value'])
    expect(estimated('Europe/Berlin', '1d')).toEqual(['reports_per_hour_by_cube_value'])
    expect(estimated('Asia/Kolkata', '1d')).toEqual(['reports_per_hour_by_cube_value', 'reports'])
  })

  test('hours that begin within those of UTC read reports, or their minutes where there is no filter', () => {
    expect(estimated('Europe/Berlin', '1h')).toEqual(['reports_per_hour_by_cube_value'])
    expect(estimated('Asia/Kolkata', '1h')).toEqual(['reports'])
    expect(estimated('Asia/Kolkata', '1h', csp())).toEqual(['reports_by_time'])
  })
})

describe('the statement of a report query', () => {
  test('series bind the largest values that are known, and read their hours', () => {
    const window = { from: 0, to: dayMs }
    const query = { tenantId: tenant, window, filter: csp(), buckets: bucketsOf(window, '1h'), top: 2 }
    const among = ['a_b', "x'"]
    const hosts = countSeries({ ...query, dimension: 'blockedHost' }, among)
    expect(tables([hosts])).toEqual(['reports_per_hour_by_value'])
    expect(sqlText(hosts)).toMatch(/ AND value IN \{p\d+:Array\(String\)\} /)
    expect(Object.values(render(hosts.statement).params)).toContainEqual(among)
  })

  test('a count of groups reads the window alone', () => {
    expect(sqlText(countGroups(ofHosts))).toBe(
      "SELECT uniqExact(key0, key1) AS groupCount FROM (SELECT toString(document_host) AS key0, toString(blocked_host) AS key1 FROM reports_per_day_by_hosts WHERE tenant_id = {p0:UUID} AND report_type = {p1:String} AND (bucket >= {p2:DateTime('UTC')} AND bucket < {p3:DateTime('UTC')}))",
    )
  })

  test('a count binds every value', () => {
    const [query] = countReports(
      tenant,
      { from: 0, to: hourMs },
      csp([{ dimension: 'directive', operator: 'any', values: ['img_src%'] }]),
    )
    expect(query && { text: sqlText(query), params: render(query.statement).params }).toEqual({
      text: "SELECT sum(report_count) AS reportCount, toString(sum(weight)) AS weight FROM reports_per_hour_by_cube_value WHERE tenant_id = {p0:UUID} AND report_type = {p1:String} AND dimension = {p2:String} AND value LIKE {p3:String} AND (bucket >= {p4:DateTime('UTC')} AND bucket < {p5:DateTime('UTC')})",
      params: {
        p0: tenant,
        p1: 'csp-violation',
        p2: 'directive',
        p3: 'img_src\\%',
        p4: '1970-01-01 00:00:00',
        p5: '1970-01-01 01:00:00',
      },
    })
  })

  test('a ranking groups one slice once, and merges several slices', () => {
    const query = groupReports({
      tenantId: tenant,
      window: { from: hourMs, to: 2 * hourMs },
      previous: { from: 0, to: hourMs },
      ...csp(),
      groupBy: ['directive'],
      limit: 20,
    })
    expect(sqlText(query)).toBe(
      "SELECT [key0] AS values, current AS reportCount, previous AS previousCount, first AS firstSeen, last AS lastSeen FROM (SELECT toString(value) AS key0, sumIf(report_count, bucket >= {p0:DateTime('UTC')}) AS current, sumIf(report_count, bucket < {p0:DateTime('UTC')}) AS previous, minIf(first_seen_at, bucket >= {p0:DateTime('UTC')}) AS first, maxIf(last_seen_at, bucket >= {p0:DateTime('UTC')}) AS last FROM reports_per_hour_by_cube_value WHERE tenant_id = {p1:UUID} AND report_type = {p2:String} AND dimension = {p3:String} AND ((bucket >= {p4:DateTime('UTC')} AND bucket < {p5:DateTime('UTC')}) OR (bucket >= {p6:DateTime('UTC')} AND bucket < {p7:DateTime('UTC')})) GROUP BY key0) WHERE reportCount > 0 ORDER BY reportCount DESC, key0 LIMIT {p8:UInt64}",
    )
    const apart = groupReports({
      tenantId: tenant,
      window: ragged,
      previous: undefined,
      ...csp(),
      groupBy: ['blockedHost'],
      limit: 20,
    })
    expect(tables([apart])).toEqual(['reports_per_day_by_value', 'reports_per_hour_by_value_time_ordered', 'reports'])
    expect(sqlText(apart)).toMatch(/\) GROUP BY key0 HAVING reportCount > 0 ORDER BY reportCount DESC, key0 LIMIT/)
  })

  test('a ranking by hash counts the window alone, and looks up its hashes in both windows', () => {
    const hash = '31 * cityHash64(document_host) + cityHash64(blocked_host)'
    expect(sqlText(rankHashes(ofHosts))).toBe(
      `SELECT toString(pair) AS hash, sum(counted) AS reportCount FROM (SELECT ${hash} AS pair, sum(report_count) AS counted FROM reports_per_day_by_hosts WHERE tenant_id = {p0:UUID} AND report_type = {p1:String} AND (bucket >= {p2:DateTime('UTC')} AND bucket < {p3:DateTime('UTC')}) GROUP BY pair) GROUP BY pair ORDER BY reportCount DESC LIMIT {p4:UInt64}`,
    )
    const groups = groupHashes(ofHosts, [{ hash: 7n, reportCount: 1 }])
    expect(sqlText(groups)).toContain(`AND ${hash} IN {p7:Array(UInt64)} GROUP BY key0, key1`)
    expect(tables([rankHashes({ ...ofHosts, window: ragged })])).toEqual(['reports_per_day_by_hosts', 'reports'])
  })

  test('earlier counts are those of the groups’ values alone, in the earlier window alone', () => {
    const ranking = {
      tenantId: tenant,
      window: { from: dayMs, to: 2 * dayMs },
      previous: { from: 0, to: dayMs },
      ...csp(),
      groupBy: ['siteId', 'blockedHost'] as const,
      limit: 20,
    }
    const times = { firstSeen: '', lastSeen: '' }
    const groups = [
      { values: [tenant, "a_b'"], reportCount: 3, previousCount: 0, ...times },
      { values: [tenant, ''], reportCount: 2, previousCount: 0, ...times },
    ]
    const query = countBefore(ranking, groups)
    expect(sqlText(query)).toBe(
      "SELECT [key0, key1] AS values, sum(counted) AS previousCount FROM (SELECT toString(value) AS key0, toString(other_value) AS key1, sum(report_count) AS counted FROM reports_per_day_by_pair WHERE tenant_id = {p0:UUID} AND report_type = {p1:String} AND dimensions = {p2:String} AND value IN {p3:Array(String)} AND other_value IN {p4:Array(String)} AND (bucket >= {p5:DateTime('UTC')} AND bucket < {p6:DateTime('UTC')}) GROUP BY key0, key1) GROUP BY key0, key1",
    )
    expect(render(query.statement).params).toMatchObject({ p3: [tenant], p4: ["a_b'", ''], p5: '1970-01-01 00:00:00' })
    const counted = withEarlierCounts(groups, [
      { values: [tenant, ''], previousCount: 7 },
      { values: ['', "a_b'"], previousCount: 9 },
    ])
    expect(counted.map(({ previousCount }) => previousCount)).toEqual([0, 7])
  })

  test('a ranking by few values has a statement a slice, each with at most one row more than 1,000', () => {
    const statements = rankFewValues({
      tenantId: tenant,
      window: ragged,
      previous: undefined,
      ...csp(),
      groupBy: ['directive'],
      limit: 20,
    })
    expect(statements.map((query) => tables([query]))).toEqual([['reports_per_hour_by_cube_value'], ['reports']])
    for (const { statement } of statements) {
      expect(render(statement).text).toMatch(/GROUP BY key0\)\s+LIMIT/)
      expect(Object.values(render(statement).params)).toContain('1001')
    }
  })

  test('a list selects only the columns that its report type fills', () => {
    const columns = (reportType: ReportType) =>
      /^SELECT (.*) FROM reports /.exec(
        sqlText(
          listReports(tenant, { from: 0, to: dayMs }, { reportType, terms: [] }, { after: undefined, limit: 51 }),
        ),
      )?.[1]
    const every =
      'id AS id, site_id AS siteId, report_type AS reportType, received_at AS receivedAt, browser_name AS browserName, browser_version AS browserVersion, os_name AS osName, device_type AS deviceType, sample_rate AS sampleRate, document_url AS documentUrl'
    expect(columns('crash')).toBe(
      `${every}, feature AS feature, is_top_level AS isTopLevel, visibility_state AS visibilityState, stack AS stack`,
    )
    expect(columns('coep')).toBe(
      `${every}, disposition AS disposition, feature AS feature, blocked_host AS blockedHost, blocked_url AS blockedUrl, blocked_origin AS blockedOrigin, destination AS destination`,
    )
  })

  test('a list reads the columns of its filters before those of the primary key', () => {
    const two = csp([
      { dimension: 'blockedHost', operator: 'any', values: ['x'] },
      { dimension: 'page', operator: 'contains', values: ['y'] },
    ])
    const list = listReports(tenant, { from: 0, to: dayMs }, two, { after: undefined, limit: 51 })
    expect(sqlText(list)).toContain(
      ' FROM reports PREWHERE blocked_host = {p0:String} AND position(cutQueryString(document_url), {p1:String}) > 0 WHERE tenant_id = {p2:UUID} AND',
    )
  })

  test('a list after a position has a bound for the primary key beside the tuple comparison', () => {
    const after = { receivedAt: 7, id: site }
    expect(sqlText(listReports(tenant, { from: 0, to: dayMs }, csp(), { after, limit: 51 }))).toMatch(
      /^SELECT id AS id, site_id AS siteId, .* FROM reports WHERE tenant_id = \{p0:UUID\} AND report_type = \{p1:String\} AND received_at >= \{p2:[^}]+\} AND received_at < \{p3:[^}]+\} AND reports\.received_at <= \{p4:[^}]+\} AND \(reports\.received_at, reports\.id\) < \(\{p4:[^}]+\}, \{p5:UUID\}\) ORDER BY reports\.received_at DESC, reports\.id DESC LIMIT \{p6:UInt64\}$/,
    )
  })
})
