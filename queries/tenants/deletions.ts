import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { name, type Sql, sql, uuid } from '../sql/sql.ts'

const deletionRow = z.object({
  id: z.string(),
  startedAt: rowTime,
  /** Null while it runs, or if it was interrupted. */
  finishedAt: rowTime.nullable(),
  by: z.string(),
  reason: z.string(),
  filters: z.array(z.string()),
  reports: z.record(z.string(), rowCount),
  /** Versions of a script whose sightings were taken out. */
  sightings: rowCount,
})

export type Deletion = z.infer<typeof deletionRow>

/** Deletions of a tenant's reports, the latest first. */
export const listDeletions = (tenantId: string): Query<Deletion> => ({
  name: 'listDeletions',
  statement: sql`
    SELECT toString(id) AS id, started_at AS startedAt, finished_at AS finishedAt, deleted_by AS by, reason, filters,
      counts AS reports, sightings
    FROM report_deletions FINAL
    WHERE tenant_id = ${uuid(tenantId)}
    ORDER BY startedAt DESC, id`,
  row: deletionRow,
})

const typeRow = z.object({ reportType: z.string(), reports: rowCount })

/** Stored reports by type, csp-hash too. */
export const countReportsWhere = (where: Sql, table = 'reports'): Query<z.infer<typeof typeRow>> => ({
  name: 'countReportsWhere',
  statement: sql`
    SELECT report_type AS reportType, count() AS reports
    FROM ${name(table)}
    WHERE ${where}
    GROUP BY reportType
    ORDER BY reportType`,
  row: typeRow,
  pool: 'maintenance',
})

/** Sums of all shards. */
export function sumByType(rows: readonly z.infer<typeof typeRow>[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { reportType, reports } of rows) counts[reportType] = (counts[reportType] ?? 0) + reports
  return counts
}

const idRow = z.object({ id: z.string() })

/** Latest reports of imported parts that the condition is true of. */
export const listPartIds = (tenantId: string, where: Sql): Query<z.infer<typeof idRow>> => ({
  name: 'listPartIds',
  statement: sql`
    SELECT DISTINCT toString(id) AS id
    FROM reports
    WHERE ${where}
      AND id IN (SELECT arrayJoin(parts).id FROM import_log WHERE tenant_id = ${uuid(tenantId)} AND state = 'done')`,
  row: idRow,
  pool: 'maintenance',
})
