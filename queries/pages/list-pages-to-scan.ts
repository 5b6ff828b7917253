import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { empty, noTime, sql, uuid } from '../sql/sql.ts'

const row = z.object({
  tenantId: z.string(),
  siteId: z.string(),
  id: z.string(),
  kind: z.string(),
  scanUrl: z.string(),
  /** Null until the first scan. */
  lastScanAt: rowTime.nullable(),
  /** Failed scans since the last complete one. */
  failures: rowCount,
})

export type PageWithHistory = z.infer<typeof row>

/** Pages with a URL to scan: of all tenants, or one page. */
export function listPagesToScan(only?: { readonly tenantId: string; readonly id: string }): Query<PageWithHistory> {
  const ofTenant = only ? sql`tenant_id = ${uuid(only.tenantId)}` : sql`true`
  const ofPage = only ? sql` AND id = ${uuid(only.id)}` : empty
  const ofScans = only ? sql` AND page_id = ${uuid(only.id)}` : empty
  return {
    name: 'listPagesToScan',
    statement: sql`
      SELECT p.tenant_id AS tenantId, p.site_id AS siteId, p.id AS id, p.kind AS kind, p.scan_url AS scanUrl,
        nullIf(s.last_at, ${noTime}) AS lastScanAt, s.failures AS failures
      FROM (
        SELECT tenant_id, site_id, id, kind, scan_url
        FROM monitored_pages FINAL
        WHERE ${ofTenant} AND NOT removed AND scan_url != ''${ofPage}
      ) AS p
      INNER JOIN (
        SELECT tenant_id, id
        FROM sites FINAL
        WHERE ${ofTenant}
      ) AS site ON site.tenant_id = p.tenant_id AND site.id = p.site_id
      LEFT JOIN (
        SELECT tenant_id, page_id, max(scanned_at) AS last_at, maxIf(scanned_at, status = 'complete') AS complete_at,
          arrayCount(failed_at -> failed_at > complete_at, groupArrayIf(scanned_at, status = 'failed'))
            AS failures
        FROM page_scans FINAL
        WHERE ${ofTenant}${ofScans}
        GROUP BY tenant_id, page_id
      ) AS s ON s.tenant_id = p.tenant_id AND s.page_id = p.id`,
    row,
    pool: 'maintenance',
  }
}
