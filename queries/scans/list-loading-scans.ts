import { z } from 'zod'
import { paymentPageIds } from '../pages/payment-pages.ts'
import type { PageScan } from '../rules/scans/scan-presence.ts'
import type { InventoryFilter } from '../scripts/script-inventory.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { at, sql, uuid } from '../sql/sql.ts'

const row: z.ZodType<PageScan> = z.object({ pageId: z.string(), scanId: z.string(), scannedAt: rowTime })

/** Each payment page's latest scan in the window that loaded the page itself and lists its scripts (Rule 58). */
export function listLoadingScans(filter: InventoryFilter): Query<PageScan> {
  const { tenantId, window } = filter
  return {
    name: 'listLoadingScans',
    statement: sql`
      SELECT toString(page_id) AS pageId, max((scanned_at, toString(id))) AS latest, latest.2 AS scanId,
        latest.1 AS scannedAt
      FROM page_scans FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND page_id IN ${paymentPageIds(filter)}
        AND scanned_at >= ${at(new Date(window.from))} AND scanned_at < ${at(new Date(window.to))}
        AND status = 'complete' AND status_code >= 200 AND status_code < 300 AND scripts_listed
      GROUP BY page_id`,
    row,
  }
}
