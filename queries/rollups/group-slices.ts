import { dayMs } from '../../schema/durations.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { join, type Sql, sql, times, uuid } from '../sql/sql.ts'
import { bucketTime, pageOfReport, rawTime } from './columns.ts'
import { sliceTables, type TimedTable } from './table-slices.ts'

export interface GroupFilter {
  readonly tenantId: string
  readonly window: TimeRange
}

export interface GroupSlice {
  /** `FROM table WHERE`, tenant and time included. */
  readonly from: Sql
  readonly isRaw: boolean
  /** URL without query and fragment. */
  readonly page: Sql
  readonly reportCount: Sql
  /** Sum of weights, in millionths. */
  readonly weight: Sql
  readonly firstSeen: Sql
  readonly lastSeen: Sql
}

export type GroupTable =
  | 'reports_per_day_by_issue'
  | 'crashes_per_day_by_group'
  | 'browser_changes_per_day_by_page'
  | 'browser_changes_per_day_by_entry'
  | 'network_errors_per_day_by_group'
  | 'reports_per_day_by_page'
  | 'reports_per_day_by_script'
  | 'reports_per_day_by_source'

const rawTable: TimedTable = { table: 'reports', grains: [1], time: rawTime }

const rawColumns = {
  isRaw: true,
  page: pageOfReport,
  reportCount: sql`count()`,
  weight: sql`sum(weight)`,
  firstSeen: sql`min(received_at)`,
  lastSeen: sql`max(received_at)`,
} as const

const rollupColumns = {
  isRaw: false,
  page: sql`page`,
  reportCount: sql`sum(report_count)`,
  weight: sql`sum(weight)`,
  firstSeen: sql`min(first_seen_at)`,
  lastSeen: sql`max(last_seen_at)`,
} as const

/** Whole days from the rollup, if any, raw rows at the edges. @param conditions on columns of both, report type included. */
export function groupSlices(
  rollup: GroupTable | undefined,
  { tenantId, window }: GroupFilter,
  conditions: readonly Sql[],
): GroupSlice[] {
  const byDay: TimedTable[] = rollup ? [{ table: rollup, grains: [dayMs], time: bucketTime }] : []
  return sliceTables([...byDay, rawTable], tenantId, [window], () => conditions).map(({ table, from }) => ({
    from,
    ...(table === rawTable ? rawColumns : rollupColumns),
  }))
}

export const slicesWhere = <Slice extends GroupSlice>(slices: readonly Slice[], condition: (slice: Slice) => Sql) =>
  slices.map((slice) => ({ ...slice, from: sql`${slice.from} AND ${condition(slice)}` }))

/** Raw rows received at exact times: a lookup by primary key. */
export function rawSliceAt(tenantId: string, moments: readonly Date[], conditions: readonly Sql[]): GroupSlice {
  const where = [sql`tenant_id = ${uuid(tenantId)}`, ...conditions, sql`received_at IN ${times(moments)}`]
  return { from: sql`FROM reports WHERE ${join(where, ' AND ')}`, ...rawColumns }
}
