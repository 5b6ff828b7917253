import type { Query } from '../sql/query.ts'
import { sql, text, uuid } from '../sql/sql.ts'
import { queryScanHistory, type ScanPlace } from './scan-history.ts'

export function findScanPlace(tenantId: string, pageId: string, scanId: string): Query<ScanPlace> {
  return queryScanHistory('findScanPlace', tenantId, sql`page_id = ${uuid(pageId)}`, sql`WHERE id = ${text(scanId)}`)
}
