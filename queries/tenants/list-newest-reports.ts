import { z } from 'zod'
import { dayMs } from '../../schema/durations.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { at, sql, text } from '../sql/sql.ts'

const row = z.object({ tenantId: z.string(), newestAt: rowTime })

/** Of all tenants, for metrics: one row a type and minute with reports, 10,080 minutes at most. */
export function listNewestReports(now: Date): Query<z.infer<typeof row>> {
  return {
    name: 'listNewestReports',
    statement: sql`
      SELECT tenant_id AS tenantId, max(bucket) AS newestAt
      FROM reports_by_time
      WHERE grain = ${text('minute')} AND bucket >= ${at(new Date(now.getTime() - 7 * dayMs))}
      GROUP BY tenantId
      ORDER BY newestAt DESC
      LIMIT 1000`,
    row,
    pool: 'lookup',
  }
}
