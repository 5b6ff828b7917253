/** @module A tenant's CSP reports as four operations of the API have them, which must be what ClickHouse has. */

import type { Database } from '../../queries/clickhouse/database.ts'
import { minuteMs } from '../../schema/durations.ts'
import type { TestApi } from './api.ts'
import { queryRows } from './database.ts'
import { readPages } from './read-pages.ts'
import type { TestKey } from './tenants.ts'

export interface ReportViews {
  readonly count: number
  /** By minute, without empty ones. */
  readonly histogram: Readonly<Record<string, number>>
  readonly directives: Readonly<Record<string, number>>
  /** Of the list, sorted. */
  readonly ids: readonly string[]
}

const reportType = 'csp-violation'

/** @param window the same at each call, so that its responses are cached. */
export async function requestViews(
  api: TestApi,
  key: TestKey,
  window: { readonly from: string; readonly to: string },
): Promise<ReportViews> {
  const request = async (path: string, further: Readonly<Record<string, string>> = {}) => {
    const query = new URLSearchParams({ reportType, ...window, ...further })
    const { status, body } = await api.get(`${path}?${query}`, { key })
    if (status !== 200) throw new Error(`${path}: ${status}`)
    return body.data
  }
  const [{ reportCount }, { buckets }, groups, { data }] = await Promise.all([
    request('/v1/reports/count'),
    request('/v1/reports/histogram', { bucketSize: '1m' }),
    request('/v1/reports/grouped', { groupBy: 'directive' }),
    readPages(api, key, '/v1/reports', { reportType, ...window, limit: 200 }),
  ])
  return {
    count: reportCount,
    histogram: Object.fromEntries(
      (buckets as { time: string; reportCount: number }[])
        .filter((bucket) => bucket.reportCount > 0)
        .map((bucket) => [bucket.time, bucket.reportCount]),
    ),
    directives: Object.fromEntries(
      (groups as { values: [string]; reportCount: number }[]).map(({ values, reportCount }) => [
        values[0],
        reportCount,
      ]),
    ),
    ids: data.map(({ id }) => id).toSorted(),
  }
}

export async function storedViews(database: Database, tenantId: string): Promise<ReportViews> {
  const rows = (await queryRows(
    database,
    `SELECT toString(id), toUnixTimestamp64Milli(received_at), directive FROM reports
     WHERE tenant_id = '${tenantId}' AND report_type = '${reportType}'`,
  )) as [id: string, receivedAt: number, directive: string][]
  return {
    count: rows.length,
    histogram: tally(rows.map(([, receivedAt]) => new Date(receivedAt - (receivedAt % minuteMs)).toISOString())),
    directives: tally(rows.map(([, , directive]) => directive)),
    ids: rows.map(([id]) => id).toSorted(),
  }
}

function tally(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
