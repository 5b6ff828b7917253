import { z } from 'zod'
import type { ScanFinding } from '../../schema/rules/scans/scan-presence.ts'
import { paymentPageIds, sitePageIds } from '../pages/payment-pages.ts'
import { type InventoryFilter, scannedTags } from '../scripts/script-inventory.ts'
import type { Query } from '../sql/query.ts'
import { rowJson, rowTexts, rowTime } from '../sql/rows.ts'
import { at, sql, uint, uuid } from '../sql/sql.ts'
import { newestFirst, ofPages, type PageSelection, queryScanHistory, type ScanRef } from './scan-refs.ts'

/** Candidates for change evidence, newest first: headers or grade differ from the last complete scan before. */
export function listScanEvidence(tenantId: string, pages: PageSelection, since: Date): Query<ScanRef> {
  const differs = sql`complete AND compared.1 > 0 AND (headers_key, grade) != (compared.4, compared.5)`
  return queryScanHistory(
    'listScanEvidence',
    tenantId,
    ofPages(pages),
    sql`WHERE scannedAt >= ${at(since)} AND ${differs} ORDER BY ${newestFirst}`,
  )
}

const scanFindingRow = z.object({
  url: z.string(),
  pageId: z.string(),
  scanId: z.string(),
  scannedAt: rowTime,
  hasIntegrity: z.boolean().nullable(),
  isGone: z.boolean(),
}) satisfies z.ZodType<ScanFinding>

/** The latest scan of the window for each script and payment page. */
export function listScanFindings(filter: InventoryFilter): Query<z.infer<typeof scanFindingRow>> {
  const { from, to } = filter.scanWindow ?? filter.window
  const inWindow = sql`scanned_at >= ${at(new Date(from))} AND scanned_at < ${at(new Date(to))}`
  // Per page the latest scan that loaded it (Rule 58), and the latest of them that lists scripts.
  const loading = sql`
    SELECT toString(page_id) AS page_id, max((scanned_at, toString(id))) AS loaded,
      maxIf((scanned_at, toString(id)), scripts_listed) AS listed
    FROM page_scans FINAL
    WHERE tenant_id = ${uuid(filter.tenantId)} AND page_scans.page_id IN ${paymentPageIds(filter)} AND ${inWindow}
      AND status = 'complete' AND status_code >= 200 AND status_code < 300
    GROUP BY page_id`
  return {
    name: 'listScanFindings',
    statement: sql`
      SELECT script_url AS url, page_id AS pageId, max((scanned_at, scan_id)) AS latest, latest.2 AS scanId,
        latest.1 AS scannedAt,
        minOrNullIf(has_integrity, (scanned_at, scan_id) = loaded)::Nullable(Bool) AS hasIntegrity,
        (latest < any(listed))::Bool AS isGone
      FROM (SELECT * FROM ${scannedTags(filter)} WHERE ${inWindow}) AS found
      LEFT JOIN (${loading}) AS loading USING (page_id)
      GROUP BY script_url, page_id`,
    row: scanFindingRow,
  }
}

/** Scans that are the given number of failures in a row, newest first. */
export function listFailingScans(
  tenantId: string,
  pages: PageSelection,
  { since, inARow }: { readonly since: Date; readonly inARow: number },
): Query<ScanRef> {
  const isNth = sql`NOT complete AND ordinal - compared.1 = ${uint(inARow)}`
  const chosen = sql`WHERE scannedAt >= ${at(since)} AND ${isNth} ORDER BY ${newestFirst}`
  return queryScanHistory('listFailingScans', tenantId, ofPages(pages), chosen)
}

/** Complete scans after at least that number of failures in a row, newest first. */
export function listRecoveredScans(
  tenantId: string,
  pages: PageSelection,
  { since, inARow }: { readonly since: Date; readonly inARow: number },
): Query<ScanRef> {
  const isRecovered = sql`complete AND ordinal - compared.1 > ${uint(inARow)}`
  const chosen = sql`WHERE scannedAt >= ${at(since)} AND ${isRecovered} ORDER BY ${newestFirst}`
  return queryScanHistory('listRecoveredScans', tenantId, ofPages(pages), chosen)
}

const servedPageRow = z.object({
  enforced: z.string(),
  reportOnly: z.string(),
  /** References in the markup; absent in older scans and scans of other systems. */
  sources: rowJson(z.array(z.object({ directive: z.string(), source: z.string() })), '[]'),
  scriptUrls: rowTexts,
})

/** The latest complete scan with a 2xx status of each page of the site, newest first. */
export function listServedPages(tenantId: string, siteId: string): Query<z.infer<typeof servedPageRow>> {
  const complete = sql`
    tenant_id = ${uuid(tenantId)} AND page_id IN ${sitePageIds({ tenantId, siteId })} AND status = 'complete'
      AND status_code >= 200 AND status_code < 300`
  return {
    name: 'listServedPages',
    statement: sql`
      SELECT headers['content-security-policy'] AS enforced,
        headers['content-security-policy-report-only'] AS reportOnly,
        JSONExtractRaw(result, 'sources') AS sources, arrayDistinct(script_urls) AS scriptUrls
      FROM page_scans FINAL
      WHERE ${complete} AND (page_id, scanned_at) IN (
        SELECT page_id, max(scanned_at)
        FROM page_scans FINAL
        WHERE ${complete}
        GROUP BY page_id)
      ORDER BY scanned_at DESC, toString(page_scans.id) DESC
      LIMIT 1 BY page_id`,
    row: servedPageRow,
  }
}
