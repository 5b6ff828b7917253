import type { Query } from '../sql/query.ts'
import { at, sql, uint } from '../sql/sql.ts'
import { newestFirst, ofPages, type PageSelection, queryScanHistory, type ScanRef } from './scan-history.ts'

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
