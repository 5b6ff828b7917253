import { z } from 'zod'
import { type InventoryFilter, scannedTags } from '../scripts/script-inventory.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { at, sql } from '../sql/sql.ts'

const row = z.object({
  url: z.string(),
  pageId: z.string(),
  scanId: z.string(),
  scannedAt: rowTime,
  /** On all the script's tags. */
  hasIntegrity: z.boolean(),
})

/** The latest scan of the window for each script and payment page. */
export function listScanFindings(filter: InventoryFilter): Query<z.infer<typeof row>> {
  const { from, to } = filter.window
  const scans = sql`
    SELECT script_url, page_id, scanned_at, scan_id, min(has_integrity) AS all_have
    FROM ${scannedTags(filter)}
    WHERE scanned_at >= ${at(new Date(from))} AND scanned_at < ${at(new Date(to))}
    GROUP BY script_url, page_id, scanned_at, scan_id`
  return {
    name: 'listScanFindings',
    statement: sql`
      SELECT script_url AS url, page_id AS pageId, max((scanned_at, scan_id, all_have)) AS latest,
        latest.2 AS scanId, latest.1 AS scannedAt, latest.3::Bool AS hasIntegrity
      FROM (${scans})
      GROUP BY script_url, page_id`,
    row,
  }
}
