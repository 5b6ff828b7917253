import type { Query } from '../sql/query.ts'
import { sql, text, uuid } from '../sql/sql.ts'
import { askHistory, type ScanPlace } from './scan-history.ts'

/** The page's scan with this id: one row or none. */
export function findScanPlace(tenantId: string, pageId: string, scanId: string): Query<ScanPlace> {
  return askHistory('findScanPlace', tenantId, sql`page_id = ${uuid(pageId)}`, sql`WHERE id = ${text(scanId)}`)
}
