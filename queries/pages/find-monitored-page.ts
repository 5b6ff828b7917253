import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({ kind: z.string(), pattern: z.string() })

export type FoundPage = z.infer<typeof row>

/** Includes removed pages, whose scans remain readable. */
export function findMonitoredPage(tenantId: string, siteId: string, pageId: string): Query<FoundPage> {
  return {
    name: 'findMonitoredPage',
    statement: sql`
      SELECT kind, pattern
      FROM monitored_pages FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)} AND id = ${uuid(pageId)}`,
    row,
    pool: 'lookup',
  }
}
