import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { noTime, sql } from '../sql/sql.ts'

const row = z.object({
  tenantId: z.string(),
  siteId: z.string(),
  url: z.string(),
  hash: z.string(),
  source: z.enum(['report', 'scan']),
  fetchedUrl: z.string(),
  attemptedAt: rowTime,
})

/** Fetches of all tenants that have not ended; imported records of other systems have no time. */
export const listPendingCaptures: Query<z.infer<typeof row>> = {
  name: 'listPendingCaptures',
  statement: sql`
    SELECT tenant_id AS tenantId, site_id AS siteId, script_url AS url, script_hash AS hash, source,
      fetched_url AS fetchedUrl, attempted_at AS attemptedAt
    FROM script_captures FINAL
    WHERE state = 'pending' AND attempted_at > ${noTime}`,
  row,
}
