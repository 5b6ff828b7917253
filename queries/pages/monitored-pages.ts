import { z } from 'zod'
import { monitoredPage, type PageRecord } from '../../schema/responses/monitored-page.ts'
import type { PageOf, Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { at, empty, noTime, type Sql, sql, text, uint, uuid } from '../sql/sql.ts'

export type PagePosition = Pick<PageRecord, 'position' | 'id'>

const monitoredPageRow = monitoredPage.omit({ latestScan: true })

/** Pages in the site's order, ties by id as text; without removed pages. */
export function listMonitoredPages(
  tenantId: string,
  siteId: string,
  { after, limit, kind }: PageOf<PagePosition> & { readonly kind?: PageRecord['kind'] },
): Query<PageRecord> {
  const isAfter = after ? sql` AND (position, toString(id)) > (${uint(after.position)}, ${text(after.id)})` : empty
  const ofKind = kind ? sql` AND kind = ${text(kind)}` : empty
  return {
    name: 'listMonitoredPages',
    statement: sql`
      SELECT id, site_id AS siteId, kind, label, pattern, nullIf(scan_url, '') AS scanUrl, position
      FROM monitored_pages FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)} AND NOT removed${ofKind}${isAfter}
      ORDER BY position, toString(id)
      LIMIT ${uint(limit)}`,
    row: monitoredPageRow,
  }
}

const foundPageRow = z.object({ kind: z.string(), pattern: z.string() })

export type FoundPage = z.infer<typeof foundPageRow>

/** Includes removed pages, whose scans remain readable. */
export function findMonitoredPage(tenantId: string, siteId: string, pageId: string): Query<FoundPage> {
  return {
    name: 'findMonitoredPage',
    statement: sql`
      SELECT kind, pattern
      FROM monitored_pages FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)} AND id = ${uuid(pageId)}`,
    row: foundPageRow,
    pool: 'lookup',
  }
}

const nextPagePositionRow = z.object({ nextPosition: rowCount })

/** Position after the site's last page that is not removed; 0 without pages. */
export function findNextPagePosition(tenantId: string, siteId: string): Query<z.infer<typeof nextPagePositionRow>> {
  return {
    name: 'findNextPagePosition',
    statement: sql`
      SELECT toUInt64(if(count() = 0, 0, max(position) + 1)) AS nextPosition
      FROM monitored_pages FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)} AND NOT removed`,
    row: nextPagePositionRow,
    pool: 'lookup',
  }
}

const pageLabelRow = z.object({ id: z.string(), siteId: z.string(), label: z.string() })

export type PageLabel = z.infer<typeof pageLabelRow>

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
  row: pageLabelRow,
})

const pageSiteRow = z.object({ id: z.string(), siteId: z.string(), removed: z.boolean() })

/** Without pages of a site that is being deleted, because no scan of them may be stored. */
export function listPageSites(tenantId: string): Query<z.infer<typeof pageSiteRow>> {
  return {
    name: 'listPageSites',
    statement: sql`
      SELECT id, site_id AS siteId, removed
      FROM monitored_pages FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND site_id IN (
        SELECT id
        FROM sites FINAL
        WHERE tenant_id = ${uuid(tenantId)}
      )`,
    row: pageSiteRow,
  }
}

const pageToScanRow = z.object({
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

export type PageWithHistory = z.infer<typeof pageToScanRow>

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
    row: pageToScanRow,
    pool: 'maintenance',
  }
}
