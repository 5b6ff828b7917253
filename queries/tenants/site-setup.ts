import { z } from 'zod'
import { type SiteRef, sitePageIds } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { at, type Sql, sql, texts, uint, uuid } from '../sql/sql.ts'

/** Scans that loaded the page and ended on one of the hosts. */
const endedOn = (hosts: Sql): Sql => sql`status = 'complete' AND status_code >= 200 AND status_code < 300
  AND arrayExists(host -> host = domain(final_url)
    OR startsWith(host, '*.') AND endsWith(domain(final_url), substring(host, 2)), ${hosts})`

/** Scans of earlier releases and of other systems lack them. */
const isRecorded = sql`JSONHas(result, 'reportingHeaders')`
const sentHeaders = sql`mapUpdate(CAST(headers, 'Map(String, String)'),
  JSONExtract(result, 'reportingHeaders', 'Map(String, String)'))`

const sentHeadersRow = z.object({
  pageId: z.string(),
  scanId: z.string(),
  url: z.string(),
  scannedAt: rowTime,
  headers: z.record(z.string(), z.string()),
  isRecorded: z.boolean(),
})

/** The site's latest complete scan with a 2xx status that ended on one of its hosts; one row or none. */
export function findSentHeaders(site: SiteRef, hosts: readonly string[]): Query<z.infer<typeof sentHeadersRow>> {
  const ofSite = sql`tenant_id = ${uuid(site.tenantId)} AND page_id IN ${sitePageIds(site)}`
  return {
    name: 'findSentHeaders',
    // Results are large: only that of one scan is read.
    statement: sql`
      SELECT page_id AS pageId, page_scans.id AS scanId, final_url AS url, scanned_at AS scannedAt,
        ${sentHeaders} AS headers, ${isRecorded}::Bool AS isRecorded
      FROM page_scans FINAL
      WHERE ${ofSite} AND (scanned_at, page_scans.id) IN (
        SELECT scanned_at, page_scans.id
        FROM page_scans FINAL
        WHERE ${ofSite} AND ${endedOn(sql`${texts(hosts)}`)}
        ORDER BY scanned_at DESC, toString(page_scans.id) DESC
        LIMIT 1)`,
    row: sentHeadersRow,
  }
}

const recentScanRow = z.object({
  tenantId: z.string(),
  siteId: z.string(),
  token: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
})

const maxRecentScans = 1_000

/** The latest such scan since a time of each site of all tenants, newest first, at most 1,000. */
export const listRecentScans = (since: Date): Query<z.infer<typeof recentScanRow>> => ({
  name: 'listRecentScans',
  statement: sql`
    SELECT tenant_id AS tenantId, site_id AS siteId, token, final_url AS url, ${sentHeaders} AS headers
    FROM page_scans FINAL
    INNER JOIN (SELECT tenant_id, site_id, id AS page_id FROM monitored_pages FINAL WHERE NOT removed) AS pages
      USING (tenant_id, page_id)
    INNER JOIN (SELECT tenant_id, id AS site_id, token, hosts FROM sites FINAL) AS sites USING (tenant_id, site_id)
    WHERE scanned_at >= ${at(since)} AND ${endedOn(sql`hosts`)} AND ${isRecorded}
    ORDER BY scanned_at DESC
    LIMIT 1 BY siteId
    LIMIT ${uint(maxRecentScans)}`,
  row: recentScanRow,
})

const silentRow = z.object({ sites: rowCount, tenantId: z.string(), siteId: z.string() })

/** Sites of all tenants that were created before a time and have had no report since; the oldest of them. */
export const countSilentSites = (since: Date): Query<z.infer<typeof silentRow>> => ({
  name: 'countSilentSites',
  statement: sql`
    SELECT count() AS sites, argMin(tenant_id, created_at) AS tenantId, argMin(id, created_at) AS siteId
    FROM sites FINAL
    WHERE created_at < ${at(since)} AND toString(id) NOT IN (
      SELECT value
      FROM reports_per_day_by_value
      WHERE dimension = 'siteId' AND last_seen_at >= ${at(since)} AND bucket >= toStartOfDay(${at(since)}))`,
  row: silentRow,
})
