import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/client.ts'
import { inRanges, type TimedTable } from '../../queries/rollups/table-slices.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { join, name, type Sql, sql, uuid } from '../../queries/sql/sql.ts'
import { retentionStart } from '../../schema/plans.ts'

/** One tenant's month: what is compared or refilled at once, so that memory does not grow with the data. */
export interface RollupMonth {
  readonly tenantId: string
  /** Id of the partition by toYYYYMM, `202601`. */
  readonly partition: string
  readonly from: Date
  /** Exclusive. */
  readonly to: Date
  /** The shortest retention of its rows, in days. */
  readonly retentionDays: number
}

const row = z.object({ tenant: z.string(), partition: z.string(), retention: rowCount })

/** Every month of every tenant, or of one, that any of the tables has rows of; by tenant and month. */
export async function listRollupMonths(
  database: Database,
  tables: readonly string[],
  tenantId?: string,
): Promise<RollupMonth[]> {
  const where = tenantId === undefined ? sql`` : sql` WHERE tenant_id = ${uuid(tenantId)}`
  const each = tables.map(
    (table) =>
      sql`SELECT tenant_id, _partition_id AS partition, min(retention_days) AS kept FROM ${name(table)}${where} GROUP BY tenant_id, partition`,
  )
  const months = await database.read({
    name: 'listRollupMonths',
    statement: sql`SELECT toString(tenant_id) AS tenant, partition, min(kept) AS retention
      FROM (${join(each, ' UNION ALL ')}) GROUP BY tenant_id, partition ORDER BY tenant, partition`,
    row,
    pool: 'maintenance',
  })
  return months.map(({ tenant, partition, retention }) => {
    const [year, month] = [Number(partition.slice(0, 4)), Number(partition.slice(4))]
    const [from, to] = [new Date(Date.UTC(year, month - 1)), new Date(Date.UTC(year, month))]
    return { tenantId: tenant, partition, from, to, retentionDays: retention }
  })
}

/** Whether a row is of the tenant's month, by its table's time. */
export function inMonth({ tenantId, from, to }: RollupMonth, time: TimedTable['time']): Sql {
  return sql`tenant_id = ${uuid(tenantId)} AND ${inRanges(time, [{ from: from.getTime(), to: to.getTime() }])}`
}

/** The months cut to the days of which no row has expired: a tenant's shortest retention decides for all its days. */
export function withinRetention(months: readonly RollupMonth[], now: Date): RollupMonth[] {
  const kept = new Map<string, number>()
  for (const { tenantId, retentionDays } of months) {
    kept.set(tenantId, Math.min(retentionDays, kept.get(tenantId) ?? retentionDays))
  }
  return months
    .map((month) => {
      const start = retentionStart(kept.get(month.tenantId) ?? 0, now)
      return start > month.from ? { ...month, from: start } : month
    })
    .filter(({ from, to }) => from < to)
}
