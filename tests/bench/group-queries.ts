import { reportTypeNames, reportTypeRows } from '../../schema/report-types.ts'
import { biggestSite } from './bench-data.ts'
import type { BenchQuery } from './bench-query.ts'
import type { Dialect } from './dialects.ts'
import { keyOf, type QueryResult } from './query-result.ts'

const days = 31
const pageRows = 50

type Fields = readonly string[]

const parseGroups =
  (fields: Fields, groupsField?: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: the contract tests check bodies
  ({ data, totals }: any): QueryResult => ({
    rows: data.map((group: Record<string, unknown>) => ({
      key: keyOf(fields.map((field) => group[field])),
      count: Number(group.reportCount),
    })),
    ...(groupsField && { total: totals.reportCount, groups: totals[groupsField] }),
  })

/** By date and volume alone: ties at a page's end can be different entries in the API and in SQL. */
// biome-ignore lint/suspicious/noExplicitAny: the contract tests check bodies
const parseChanges = ({ data, totals }: any): QueryResult => ({
  rows: data.map(({ anticipatedRemoval: date, estimatedReportCount }: Record<string, string | null>) => ({
    key: keyOf([date && Date.parse(date) / 1000]),
    count: Number(estimatedReportCount),
  })),
  total: totals.reportCount,
  groups: totals.apiCount,
})

const fromTypesEver = (types: readonly string[], d: Dialect) => `
FROM reports
WHERE tenant_id = ${d.tenant}
  AND report_type IN (${types.map((type) => `'${type}'`).join(', ')})
  AND received_at < ${d.to}`

export const fromTypes = (types: readonly string[], d: Dialect) => `${fromTypesEver(types, d)}
  AND received_at >= ${d.from}`

const tally = 'count(*) AS n, sum(weight) AS weight, min(received_at) AS first_seen, max(received_at) AS last_seen'

/** Groups and their totals in one statement that reads the reports once. */
const withTotals = (groups: string, count: string, order: string) => `
WITH g AS (${groups})
SELECT *, sum(n) OVER () AS total, sum(weight) OVER () AS total_weight, ${count} AS groups
FROM g
ORDER BY ${order}
LIMIT ${pageRows}`

const issueTypes = reportTypeNames.filter((type) => reportTypeRows[type].issue)

interface IssueList {
  readonly page?: number
  /** Only those first seen ever within the window. */
  readonly isNew?: boolean
}

const issues = ({ page = 1, isNew }: IssueList): BenchQuery => ({
  name: isNew ? 'new issues 31 d' : `issues 31 d, page ${page}`,
  days,
  path: `/v1/issues?limit=${pageRows}${isNew ? '&new=true' : ''}`,
  page,
  parseBody: parseGroups(['siteId', 'reportType', 'subject', 'targetHost']),
  sql: (d) => `
SELECT site_id AS key1, report_type AS key2, ${d.any('issue_subject')} AS key3, ${d.any('issue_host')} AS key4,
  ${tally},
  ${d.countIf('noise')} AS noise_count,
  ${d.countDistinct(d.page)} AS pages,
  ${d.valuesOf('browser_name')} AS browsers
${(isNew ? fromTypesEver : fromTypes)(issueTypes, d)}
GROUP BY site_id, report_type, issue_key
${isNew ? `HAVING first_seen >= ${d.from}` : ''}
ORDER BY last_seen DESC, issue_key
LIMIT ${pageRows} OFFSET ${(page - 1) * pageRows}`,
  target: 20,
})

export const groupQueries: readonly BenchQuery[] = [
  issues({ page: 1 }),
  issues({ page: 10 }),
  issues({ isNew: true }),
  {
    name: 'crashes 31 d',
    days,
    path: `/v1/crashes?limit=${pageRows}`,
    parseBody: parseGroups(['reason', 'page', 'isTopLevel', 'visibilityState'], 'groupCount'),
    sql: (d) =>
      withTotals(
        `
SELECT feature AS key1, ${d.page} AS key2, is_top_level AS key3, visibility_state AS key4,
  ${tally},
  ${d.latest('stack')} AS stack,
  ${d.valuesOf('browser_name')} AS browsers
${fromTypes(['crash'], d)}
GROUP BY key1, key2, key3, key4`,
        'count(*) OVER ()',
        'weight DESC, key1, key2, key3, key4',
      ),
  },
  {
    name: 'browser changes 31 d',
    days,
    path: `/v1/browser-changes?limit=${pageRows}`,
    parseBody: parseChanges,
    sql: (d) =>
      withTotals(
        `
SELECT report_type, feature, source_file,
  ${tally},
  ${d.latest('anticipated_removal_at')} AS removal,
  ${d.latest('message')} AS message,
  ${d.latest('line_number')} AS line,
  ${d.countDistinct(d.page)} AS pages,
  ${d.mostFrequent(d.page, 3)} AS top_pages,
  ${d.valuesOf('browser_name')} AS browsers
${fromTypes(['deprecation', 'intervention'], d)}
GROUP BY report_type, feature, source_file`,
        `${d.epoch('removal')} AS key1, round(weight / 1000000) AS volume, ${d.countDistinct('feature')} OVER ()`,
        'removal NULLS LAST, weight DESC, source_file',
      ),
  },
  {
    name: 'network errors 31 d',
    days,
    path: `/v1/network-errors?limit=${pageRows}`,
    parseBody: parseGroups(['errorType', 'phase', 'origin', 'statusCode'], 'groupCount'),
    sql: (d) =>
      withTotals(
        `
SELECT feature AS key1, phase AS key2, request_origin AS key3, nullif(status_code, 0) AS key4,
  ${tally},
  ${d.mostFrequent('server_ip', 5)} AS server_ips,
  ${d.mostFrequent('protocol', 5)} AS protocols,
  ${d.mostFrequent('method', 5)} AS methods,
  ${d.valuesOf('browser_name')} AS browsers,
  ${d.latest('request_url')} AS example
${fromTypes(['network-error'], d)}
GROUP BY key1, key2, key3, key4`,
        'count(*) OVER ()',
        'weight DESC, key1, key2, key3, key4',
      ),
  },
  {
    name: 'CSP policies of a site 31 d',
    days,
    path: `/v1/sites/${biggestSite}/csp-policies?limit=${pageRows}`,
    parseBody: parseGroups(['disposition']),
    sql: (d) => `
SELECT disposition AS key1, ${tally}
${fromTypes(['csp-violation'], d)}
  AND site_id = '${biggestSite}'
  AND policy_key != 0
GROUP BY disposition, policy_key
ORDER BY last_seen DESC
LIMIT ${pageRows}`,
  },
]
