import type { Query } from '../sql/query.ts'
import { sql, text, uuid } from '../sql/sql.ts'
import { queryScanHistory, type ScanRef } from './scan-history.ts'

export function findScanRef(tenantId: string, pageId: string, scanId: string): Query<ScanRef> {
  return queryScanHistory('findScanRef', tenantId, sql`page_id = ${uuid(pageId)}`, sql`WHERE id = ${text(scanId)}`)
}
