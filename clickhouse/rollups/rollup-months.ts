import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { TimeColumn } from '../../queries/rollups/columns.ts'
import { inRanges } from '../../queries/rollups/table-slices.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { join, name, type Sql, sql, uuid, uuids } from '../../queries/sql/sql.ts'
import { retentionStart } from '../../schema/plans.ts'
import { groupBy } from '../../schema/rules/group-by.ts'

/** One tenant's month. */
export interface RollupMonth {
  readonly tenantId: string
  /** toYYYYMM, `202601`. */
  readonly partition: string
  readonly from: Date
  /** Exclusive. */
  readonly to: Date
  /** Shortest retention of its rows. */
  readonly retentionDays: number
  /** Rows in all the listed tables. */
  readonly rows: number
}

/** A time of up to 100 tenants. */
export interface TenantRange extends Pick<RollupMonth, 'from' | 'to'> {
  readonly tenantIds: readonly string[]
}

/** A month of tenants with few rows, or of one: the unit of a check and a rebuild, which bounds their memory. */
export interface MonthGroup extends TenantRange, Pick<RollupMonth, 'partition' | 'rows'> {}

/** Limits of one statement over several tenants, whose ids are part of a URL, or over several months. */
const [mostTenants, mostRows] = [100, 100_000]

const row = z.object({ tenant: z.string(), partition: z.string(), retention: rowCount, stored: rowCount })

export async function listRollupMonths(
  database: Database,
  tables: readonly string[],
  tenantId?: string,
): Promise<RollupMonth[]> {
  const where = tenantId === undefined ? sql`` : sql` WHERE tenant_id = ${uuid(tenantId)}`
  const partitions = tables.map(
    (table) => sql`
        SELECT tenant_id, _partition_id AS partition, min(retention_days) AS days, count() AS stored_rows
        FROM ${name(table)}${where}
        GROUP BY tenant_id, partition`,
  )
  const months = await database.read({
    name: 'listRollupMonths',
    statement: sql`
      SELECT toString(tenant_id) AS tenant, partition, min(days) AS retention, sum(stored_rows) AS stored
      FROM (${join(partitions, ' UNION ALL ')})
      GROUP BY tenant_id, partition
      ORDER BY tenant, partition`,
    row,
    pool: 'maintenance',
  })
  return months.map(({ tenant, partition, retention, stored }) => {
    const [year, month] = [Number(partition.slice(0, 4)), Number(partition.slice(4))]
    const [from, to] = [new Date(Date.UTC(year, month - 1)), new Date(Date.UTC(year, month))]
    return { tenantId: tenant, partition, from, to, retentionDays: retention, rows: stored }
  })
}

/** Groups by month. */
export function groupMonths(months: readonly RollupMonth[]): MonthGroup[] {
  const byTime = groupBy(months, ({ from, to }) => `${from.getTime()} ${to.getTime()}`)
  return [...byTime.values()].flatMap((ofTime) =>
    fewRowsEach(ofTime.map((month) => ({ ...month, tenantIds: [month.tenantId] }))).map((together) => {
      const { partition, from, to } = together[0] as RollupMonth
      const tenantIds = together.flatMap((month) => month.tenantIds)
      return { partition, from, to, tenantIds, rows: together.reduce((sum, { rows }) => sum + rows, 0) }
    }),
  )
}

/** Splits into groups that one statement can read. */
export function fewRowsEach<Given extends Pick<MonthGroup, 'tenantIds' | 'rows'>>(given: readonly Given[]): Given[][] {
  const batches: { readonly together: Given[]; rows: number; tenants: number }[] = []
  for (const one of given) {
    const last = batches.at(-1) ?? { together: [], rows: 0, tenants: 0 }
    const [rows, tenants] = [last.rows + one.rows, last.tenants + one.tenantIds.length]
    if (last.together.length > 0 && rows <= mostRows && tenants <= mostTenants) {
      last.together.push(one)
      Object.assign(last, { rows, tenants })
    } else batches.push({ together: [one], rows: one.rows, tenants: one.tenantIds.length })
  }
  return batches.map(({ together }) => together)
}

export const inMonths = ({ tenantIds, from, to }: TenantRange, time: TimeColumn): Sql =>
  sql`tenant_id IN ${uuids(tenantIds)} AND ${inRanges(time, [{ from: from.getTime(), to: to.getTime() }])}`

/** Months limited to days without expired rows, by each tenant's shortest retention. */
export function withinRetention(months: readonly RollupMonth[], now: Date): RollupMonth[] {
  const shortest = new Map<string, number>()
  for (const { tenantId, retentionDays } of months) {
    shortest.set(tenantId, Math.min(retentionDays, shortest.get(tenantId) ?? retentionDays))
  }
  return months
    .map((month) => {
      const start = retentionStart(shortest.get(month.tenantId) ?? 0, now)
      return start > month.from ? { ...month, from: start } : month
    })
    .filter(({ from, to }) => from < to)
}

/** Months clipped to the time from a moment on. */
export const since = (start: Date, months: readonly RollupMonth[]): RollupMonth[] =>
  months.map((month) => (start > month.from ? { ...month, from: start } : month)).filter(({ from, to }) => from < to)
