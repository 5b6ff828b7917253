import { z } from 'zod'
import { paymentPageIds } from '../pages/payment-pages.ts'
import type { PageScan } from '../rules/scans/scan-presence.ts'
import type { InventoryFilter } from '../scripts/script-inventory.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { at, type Sql, sql, uuid } from '../sql/sql.ts'

const row: z.ZodType<PageScan> = z.object({ pageId: z.string(), scanId: z.string(), scannedAt: rowTime })

/** Scans of payment pages in the window that loaded the page itself: complete, with a 2xx status. */
export const loadingScans = (filter: InventoryFilter): Sql => sql`
  FROM page_scans FINAL
  WHERE tenant_id = ${uuid(filter.tenantId)} AND page_id IN ${paymentPageIds(filter)}
    AND scanned_at >= ${at(new Date(filter.window.from))} AND scanned_at < ${at(new Date(filter.window.to))}
    AND status = 'complete' AND status_code >= 200 AND status_code < 300`

/** Of each page the latest that lists its scripts. */
export function listLoadingScans(filter: InventoryFilter): Query<PageScan> {
  return {
    name: 'listLoadingScans',
    statement: sql`
      SELECT toString(page_id) AS pageId, max((scanned_at, toString(id))) AS latest, latest.2 AS scanId,
        latest.1 AS scannedAt
      ${loadingScans(filter)} AND scripts_listed
      GROUP BY page_id`,
    row,
  }
}
