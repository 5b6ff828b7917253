import { type DimensionName, dimensionRows } from '../../schema/dimensions.ts'
import type { ReportType } from '../../schema/report-types.ts'
import type { Question } from './bench-query.ts'
import type { Dialect } from './dialects.ts'
import { keyOf } from './query-result.ts'

type Filters = Readonly<Partial<Record<DimensionName, string>>>

interface Asked {
  readonly type?: ReportType
  readonly filters?: Filters
  readonly target: number
}

const monthDays = 31

const column = (dimension: string) => dimensionRows[dimension as DimensionName].column
const entries = (filters: Filters = {}) => Object.entries(filters)
const compared = ([dimension, value]: readonly [string, string]) =>
  `${column(dimension)} ${value.includes('_') ? 'LIKE' : '='} '${value}'`

/** The tenant's reports of one type in the window, or from an earlier moment on. */
function ofType(
  { type = 'csp-violation', filters }: Pick<Asked, 'type' | 'filters'>,
  d: Dialect,
  from = d.from,
): string {
  const conditions = [
    `tenant_id = ${d.tenant}`,
    `report_type = '${type}'`,
    `received_at >= ${from}`,
    `received_at < ${d.to}`,
    ...entries(filters).map(compared),
  ]
  return `FROM reports WHERE ${conditions.join(' AND ')}`
}

function pathOf(
  operation: string,
  { type, filters }: Pick<Asked, 'type' | 'filters'>,
  more: Record<string, string> = {},
) {
  const query = new URLSearchParams({ ...more, ...(type && { reportType: type }), ...filters })
  return `/v1/reports${operation}?${query}`
}

const said = (name: string, { filters }: Pick<Asked, 'filters'>) => {
  const terms = entries(filters).map(([dimension, value]) => `${dimension}=${value}`)
  return terms.length > 0 ? `${name} where ${terms.join(', ')}` : name
}

/** Reports by minute or hour. */
export function histogram(asked: Asked & { readonly days: number; readonly bucket: 'minute' | 'hour' }): Question {
  const { days, bucket, target } = asked
  const size = bucket === 'hour' ? '1h' : '1m'
  return {
    name: said(`histogram ${days} d / ${size}`, asked),
    days,
    path: pathOf('/histogram', asked, { bucketSize: size }),
    read: ({ data }) => ({
      rows: data.buckets
        .filter(({ reportCount }: { reportCount: number }) => reportCount > 0)
        .map(({ time, reportCount }: { time: string; reportCount: number }) => ({
          key: String(Date.parse(time) / 1000),
          count: reportCount,
        })),
    }),
    sql: (d) => `SELECT ${d.bucket(bucket)} AS key1, count(*) AS n ${ofType(asked, d)} GROUP BY key1`,
    target,
  }
}

const groupLimit = 20

/** A ranking of 31 days with its trend. */
export function grouped(asked: Asked & { readonly by: readonly DimensionName[] }): Question {
  const { by, target } = asked
  const keys = by.map((_, index) => `key${index}`)
  return {
    name: said(`grouped by ${by.join(' x ')}`, asked),
    days: monthDays,
    path: pathOf('/grouped', asked, { groupBy: by.join(','), limit: String(groupLimit) }),
    read: ({ data }) => ({
      rows: data.map(({ values, reportCount }: { values: string[]; reportCount: number }) => ({
        key: keyOf(values),
        count: reportCount,
      })),
    }),
    sql: (d) => {
      const now = `received_at >= ${d.from}`
      const seen = `${d.aggregateIf('min', 'received_at', now)} AS first_seen, ${d.aggregateIf('max', 'received_at', now)} AS last_seen`
      const counts = `${d.countIf(now)} AS n, ${d.countIf(`received_at < ${d.from}`)} AS previous`
      const groups = by.map((dimension, index) => `${column(dimension)} AS key${index}`)
      return `SELECT ${groups.join(', ')}, ${counts}, ${seen} ${ofType(asked, d, d.before)} GROUP BY ${keys.join(', ')} HAVING n > 0 ORDER BY n DESC, ${keys.join(', ')} LIMIT ${groupLimit}`
    },
    target,
  }
}

/** How many reports 31 days hold. */
export function count(asked: Asked): Question {
  return {
    name: said('count 31 d', asked),
    days: monthDays,
    path: pathOf('/count', asked),
    read: ({ data }) => ({ rows: [{ key: '', count: data.reportCount }] }),
    sql: (d) => `SELECT count(*) AS n, sum(weight) AS weight ${ofType(asked, d)}`,
    target: asked.target,
  }
}

/** How many reports of each type 31 days stand for. */
export function types({ target }: Pick<Asked, 'target'>): Question {
  return {
    name: 'types 31 d',
    days: monthDays,
    path: '/v1/reports/types?',
    read: ({ data }) => ({
      rows: data.map((row: { reportType: string; estimatedReportCount: number }) => ({
        key: row.reportType,
        count: row.estimatedReportCount,
      })),
    }),
    sql: (d) =>
      `SELECT report_type AS key1, round(sum(weight) / 1000000) AS n, count(*) AS stored FROM reports WHERE tenant_id = ${d.tenant} AND received_at >= ${d.from} AND received_at < ${d.to} GROUP BY report_type`,
    target,
  }
}

/** The newest 50 of seven days. */
export function newest(asked: Asked): Question {
  return {
    name: said('newest 50', asked),
    days: 7,
    path: pathOf('', asked, { limit: '50' }),
    read: ({ data }) => ({ rows: data.map(({ id }: { id: string }) => ({ key: id, count: 1 })) }),
    sql: (d) =>
      `SELECT id AS key1, 1 AS n, ${d.everyColumn} ${ofType(asked, d)} ORDER BY received_at DESC, id DESC LIMIT 50`,
    target: asked.target,
  }
}
