import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { at, sql, uuid } from '../sql/sql.ts'

const row = z.object({ fetches: rowCount, reportFetches: rowCount, reportRecords: rowCount })

/** Fetches for copies of a site's scripts since then, and how many fetches and records only reports caused. */
export const countCaptureFetches = (tenantId: string, siteId: string, since: Date): Query<z.infer<typeof row>> => ({
  name: 'countCaptureFetches',
  statement: sql`
    SELECT countIf(attempted_at >= ${at(since)}) AS fetches,
      countIf(attempted_at >= ${at(since)} AND source = 'report') AS reportFetches,
      countIf(source = 'report') AS reportRecords
    FROM script_captures FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)} AND updated_at >= ${at(since)}`,
  row,
})
