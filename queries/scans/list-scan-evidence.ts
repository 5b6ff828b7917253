import type { Query } from '../sql/query.ts'
import { at, sql } from '../sql/sql.ts'
import { newestFirst, ofPages, type PageSelection, queryScanHistory, type ScanRef } from './scan-history.ts'

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
