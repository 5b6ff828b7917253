/** @module Queries of `/v1/reports…`, by operation. */

import type { DimensionName, FieldDimension } from '../../schema/dimensions.ts'
import { keyOfIssueId } from '../../schema/issue-id.ts'
import type { ReportType } from '../../schema/report-types.ts'
import { storedFieldRows } from '../../schema/stored-report.ts'
import type { BenchQuery } from './bench-query.ts'
import type { Dialect } from './dialects.ts'
import { keyOf } from './query-result.ts'

/** By parameter; several values repeat it. */
type Filters = Readonly<Record<string, string | readonly string[]>>

interface Selection {
  readonly type?: ReportType
  readonly filters?: Filters
}

export interface QuerySpec extends Selection {
  readonly target: number
}

export const monthDays = 31

export const column = (dimension: string, { page }: Dialect) =>
  dimension === 'page' ? page : storedFieldRows[dimension as FieldDimension].column

const entries = (filters: Filters = {}) => Object.entries(filters)

/** As plain SQL has it: the statements of the API are others. */
function condition([parameter, given]: readonly [string, string | readonly string[]], d: Dialect): string {
  if (parameter === 'noise') return given === 'only' ? 'noise' : 'NOT noise'
  if (parameter === 'issueId') return `issue_key = ${keyOfIssueId(String(given))}`
  const [name = '', operator] = parameter.split('.')
  const compare = (value: string) => {
    if (operator === 'contains') return `${column(name, d)} LIKE '%${value}%'`
    return `${column(name, d)} ${value.includes('_') ? 'LIKE' : '='} '${value}'`
  }
  const isAny = [given].flat().map(compare).join(' OR ')
  return operator === 'not' ? `NOT (${isAny})` : `(${isAny})`
}

export const fromReports = ({ type = 'csp-violation', filters }: Selection, d: Dialect, from = d.from) => `
FROM reports
WHERE tenant_id = ${d.tenant}
  AND report_type = '${type}'
  AND received_at >= ${from}
  AND received_at < ${d.to}
  ${entries(filters)
    .map((filter) => `AND ${condition(filter, d)}`)
    .join('\n  ')}`

export function pathOf(operation: string, { type, filters }: Selection, more: Record<string, string> = {}) {
  const query = new URLSearchParams({ ...more, ...(type && { reportType: type }) })
  for (const [parameter, given] of entries(filters)) for (const value of [given].flat()) query.append(parameter, value)
  return `/v1/reports${operation}?${query}`
}

export function nameOf(operation: string, { filters }: Selection): string {
  const terms = entries(filters).map(([parameter, given]) => `${parameter}=${[given].flat().join('|')}`)
  return terms.length > 0 ? `${operation} where ${terms.join(', ')}` : operation
}

export function histogram(spec: QuerySpec & { readonly days: number; readonly bucket: 'minute' | 'hour' }): BenchQuery {
  const { days, bucket, target } = spec
  const size = bucket === 'hour' ? '1h' : '1m'
  return {
    name: nameOf(`histogram ${days} d / ${size}`, spec),
    days,
    path: pathOf('/histogram', spec, { bucketSize: size }),
    parseBody: ({ data }) => ({
      rows: data.buckets
        .filter(({ reportCount }: { reportCount: number }) => reportCount > 0)
        .map(({ time, reportCount }: { time: string; reportCount: number }) => ({
          key: String(Date.parse(time) / 1000),
          count: reportCount,
        })),
    }),
    sql: (d) => `
SELECT ${d.bucket(bucket)} AS key1, count(*) AS n
${fromReports(spec, d)}
GROUP BY key1`,
    target,
  }
}

const top = 5

/** Series of the largest values, and of all others, whose key is empty. */
export function series(spec: QuerySpec & { readonly by: DimensionName }): BenchQuery {
  const { by, target } = spec
  return {
    name: nameOf(`histogram ${monthDays} d / 1h in series of ${by}`, spec),
    days: monthDays,
    path: pathOf('/histogram', spec, { bucketSize: '1h', groupBy: by, top: String(top) }),
    parseBody: ({ data: { buckets, series } }) => ({
      rows: series.flatMap(({ value, reportCounts }: { value: string | null; reportCounts: number[] }) =>
        reportCounts.flatMap((count, index) =>
          count > 0 ? [{ key: keyOf([value ?? '', Date.parse(buckets[index].time) / 1000]), count }] : [],
        ),
      ),
    }),
    sql: (d) => {
      const largest = `
SELECT ${column(by, d)}
${fromReports(spec, d)}
GROUP BY ${column(by, d)}
ORDER BY count(*) DESC, ${column(by, d)}
LIMIT ${top}`
      return `
SELECT CASE WHEN ${column(by, d)} IN (${largest}) THEN ${column(by, d)} ELSE '' END AS key1, ${d.bucket('hour')} AS key2,
  count(*) AS n
${fromReports(spec, d)}
GROUP BY key1, key2`
    },
    target,
  }
}

const groupLimit = 20

/** A ranking of 31 days with its trend. */
export function grouped(spec: QuerySpec & { readonly by: readonly DimensionName[] }): BenchQuery {
  const { by, target } = spec
  const keys = by.map((_, index) => `key${index}`).join(', ')
  return {
    name: nameOf(`grouped by ${by.join(' x ')}`, spec),
    days: monthDays,
    path: pathOf('/grouped', spec, { groupBy: by.join(','), limit: String(groupLimit) }),
    parseBody: ({ data }) => ({
      rows: data.map(({ values, reportCount }: { values: string[]; reportCount: number }) => ({
        key: keyOf(values),
        count: reportCount,
      })),
    }),
    sql: (d) => {
      const inWindow = `received_at >= ${d.from}`
      return `
SELECT ${by.map((dimension, index) => `${column(dimension, d)} AS key${index}`).join(', ')},
  ${d.countIf(inWindow)} AS n,
  ${d.countIf(`received_at < ${d.from}`)} AS previous,
  ${d.aggregateIf('min', 'received_at', inWindow)} AS first_seen,
  ${d.aggregateIf('max', 'received_at', inWindow)} AS last_seen
${fromReports(spec, d, d.before)}
GROUP BY ${keys}
HAVING n > 0
ORDER BY n DESC, ${keys}
LIMIT ${groupLimit}`
    },
    target,
  }
}

export function count(spec: QuerySpec): BenchQuery {
  return {
    name: nameOf('count 31 d', spec),
    days: monthDays,
    path: pathOf('/count', spec),
    parseBody: ({ data }) => ({ rows: [{ key: '', count: data.reportCount }] }),
    sql: (d) => `
SELECT count(*) AS n, sum(weight) AS weight
${fromReports(spec, d)}`,
    target: spec.target,
  }
}

export function types({ target }: Pick<QuerySpec, 'target'>): BenchQuery {
  return {
    name: 'types 31 d',
    days: monthDays,
    path: '/v1/reports/types?',
    parseBody: ({ data }) => ({
      rows: data.map((row: { reportType: string; estimatedReportCount: number }) => ({
        key: row.reportType,
        count: row.estimatedReportCount,
      })),
    }),
    sql: (d) => `
SELECT report_type AS key1, round(sum(weight) / 1000000) AS n, count(*) AS stored
FROM reports
WHERE tenant_id = ${d.tenant}
  AND received_at >= ${d.from}
  AND received_at < ${d.to}
GROUP BY report_type`,
    target,
  }
}
