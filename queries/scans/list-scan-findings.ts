import { z } from 'zod'
import type { ScanFinding } from '../../schema/rules/scans/scan-presence.ts'
import { paymentPageIds } from '../pages/payment-pages.ts'
import { type InventoryFilter, scannedTags } from '../scripts/script-inventory.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { at, sql, uuid } from '../sql/sql.ts'

const row = z.object({
  url: z.string(),
  pageId: z.string(),
  scanId: z.string(),
  scannedAt: rowTime,
  hasIntegrity: z.boolean().nullable(),
  isGone: z.boolean(),
}) satisfies z.ZodType<ScanFinding>

/** The latest scan of the window for each script and payment page. */
export function listScanFindings(filter: InventoryFilter): Query<z.infer<typeof row>> {
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
    row,
  }
}
