import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { atSecond, sql } from '../sql/sql.ts'

const row = z.object({ siteId: z.string(), newestAt: rowTime })

/**
 * Newest reports of all sites of all tenants since the start of a day, for metrics: one row per site, type and day is
 * read.
 */
export function listNewestReports(from: Date): Query<z.infer<typeof row>> {
  return {
    name: 'listNewestReports',
    statement: sql`
      SELECT value AS siteId, max(last_seen_at) AS newestAt
      FROM reports_per_day_by_value
      WHERE dimension = 'siteId' AND bucket >= ${atSecond(from)}
      GROUP BY siteId`,
    row,
    pool: 'lookup',
  }
}
