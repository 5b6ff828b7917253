import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { at, sql, uuid } from '../sql/sql.ts'

const row = z.object({ fetches: rowCount })

/** Fetches for copies of a site's scripts since. */
export const countCaptureFetches = (tenantId: string, siteId: string, since: Date): Query<z.infer<typeof row>> => ({
  name: 'countCaptureFetches',
  statement: sql`
    SELECT count() AS fetches
    FROM script_captures FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)} AND attempted_at >= ${at(since)}`,
  row,
})
