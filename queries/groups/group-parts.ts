import { day } from '../../schema/durations.ts'
import { partsOver, type TimedTable } from '../parts.ts'
import type { Span } from '../rules/coverage.ts'
import { join, type Sql, sql, times, uuid } from '../sql.ts'

/** What every question about groups of reports says. */
export interface GroupQuestion {
  readonly tenantId: string
  readonly window: Span
}

/** One table's share of a question about groups of reports; its SELECT is grouped by the group's own columns. */
export interface GroupPart {
  /** The FROM and WHERE, tenant and time included. */
  readonly from: Sql
  /** Raw rows have columns of their own for what a rollup keeps aggregated. */
  readonly isRaw: boolean
  /** The page: the document's URL without its query. */
  readonly page: Sql
  readonly reportCount: Sql
  /** Sum of weights, in millionths. */
  readonly weight: Sql
  readonly firstSeen: Sql
  readonly lastSeen: Sql
}

/** The rollups by day that keep groups of reports. */
export type GroupTable =
  | 'reports_per_day_by_issue'
  | 'crashes_per_day_by_group'
  | 'browser_changes_per_day_by_page'
  | 'browser_changes_per_day_by_entry'
  | 'network_errors_per_day_by_group'
  | 'reports_per_day_by_page'
  | 'reports_per_day_by_script'

const raw: TimedTable = { table: 'reports', grain: 1, time: 'received_at' }

/**
 * The parts that together cover a window, exactly and without overlap: whole days of the rollup, raw rows at the ends.
 * @param conditions on columns that the rollup and the raw rows both have, the report type among them.
 */
export function groupParts(
  rollup: GroupTable,
  { tenantId, window }: GroupQuestion,
  conditions: readonly Sql[],
): GroupPart[] {
  const byDay: TimedTable = { table: rollup, grain: day, time: 'bucket' }
  return partsOver([byDay, raw], tenantId, [window], () => conditions).map(({ table, from }) => {
    const isRaw = table === raw
    return { from, isRaw, ...(isRaw ? rawColumns : rollupColumns) }
  })
}

/** The same parts with the rows only that meet a condition in the part's own columns. */
export const partsWhere = (parts: readonly GroupPart[], condition: (part: GroupPart) => Sql): GroupPart[] =>
  parts.map((part) => ({ ...part, from: sql`${part.from} AND ${condition(part)}` }))

/**
 * The raw rows of some moments, such as the latest of each group: a look-up by primary key.
 * @param conditions as `groupParts` takes them.
 */
export function rawPartAt(tenantId: string, moments: readonly Date[], conditions: readonly Sql[]): GroupPart {
  const all = [sql`tenant_id = ${uuid(tenantId)}`, ...conditions, sql`received_at IN ${times(moments)}`]
  return { from: sql`FROM reports WHERE ${join(all, ' AND ')}`, isRaw: true, ...rawColumns }
}

const rawColumns = {
  page: sql`cutQueryString(document_url)`,
  reportCount: sql`count()`,
  weight: sql`sum(weight)`,
  firstSeen: sql`min(received_at)`,
  lastSeen: sql`max(received_at)`,
} as const

const rollupColumns = {
  page: sql`page`,
  reportCount: sql`sum(report_count)`,
  weight: sql`sum(weight)`,
  firstSeen: sql`min(first_seen_at)`,
  lastSeen: sql`max(last_seen_at)`,
} as const
