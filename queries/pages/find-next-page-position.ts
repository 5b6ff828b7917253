import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({ nextPosition: rowCount })

/** Position after the site's last page that is not removed; 0 without pages. */
export function findNextPagePosition(tenantId: string, siteId: string): Query<z.infer<typeof row>> {
  return {
    name: 'findNextPagePosition',
    statement: sql`
      SELECT toUInt64(if(count() = 0, 0, max(position) + 1)) AS nextPosition
      FROM monitored_pages FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)} AND NOT removed`,
    row,
    pool: 'lookup',
  }
}
