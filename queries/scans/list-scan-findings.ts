import { z } from 'zod'
import { type InventoryFilter, scannedTags } from '../scripts/script-inventory.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { at, sql } from '../sql/sql.ts'
import { loadingScans } from './list-loading-scans.ts'

const row = z.object({
  url: z.string(),
  pageId: z.string(),
  scanId: z.string(),
  scannedAt: rowTime,
  /** On all the script's tags; null where the page's latest scan of Rule 58 has none. */
  hasIntegrity: z.boolean().nullable(),
})

/** The latest scan of the window for each script and payment page. */
export function listScanFindings(filter: InventoryFilter): Query<z.infer<typeof row>> {
  const { from, to } = filter.window
  const latestLoading = sql`(
    SELECT argMax(toString(id), (scanned_at, toString(id))) ${loadingScans(filter)} GROUP BY page_id)`
  return {
    name: 'listScanFindings',
    statement: sql`
      SELECT script_url AS url, page_id AS pageId, max((scanned_at, scan_id)) AS latest, latest.2 AS scanId,
        latest.1 AS scannedAt,
        minOrNullIf(has_integrity, scan_id IN ${latestLoading})::Nullable(Bool) AS hasIntegrity
      FROM ${scannedTags(filter)}
      WHERE scanned_at >= ${at(new Date(from))} AND scanned_at < ${at(new Date(to))}
      GROUP BY script_url, page_id`,
    row,
  }
}
