import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { at, type Sql, sql, uuid } from '../sql/sql.ts'

const row = z.object({ id: z.string(), siteId: z.string(), label: z.string() })

export type PageLabel = z.infer<typeof row>

/** Pages of the tenant that were scanned since. */
export const scannedPageIds = (tenantId: string, since: Date): Sql => sql`(
  SELECT page_id
  FROM page_scans
  WHERE tenant_id = ${uuid(tenantId)} AND scanned_at >= ${at(since)})`

export const listPageLabels = (tenantId: string, since: Date): Query<PageLabel> => ({
  name: 'listPageLabels',
  statement: sql`
    SELECT id, site_id AS siteId, label
    FROM monitored_pages FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND NOT removed AND id IN ${scannedPageIds(tenantId, since)}`,
  row,
})
