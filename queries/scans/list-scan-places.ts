import type { Query } from '../sql/query.ts'
import { at, empty, sql, text, uint, uuid } from '../sql/sql.ts'
import { newestFirst, queryScanHistory, type ScanPlace } from './scan-history.ts'

/** Where a newest-first page of scans left off. */
export interface ScanPosition {
  /** Milliseconds since the Unix epoch. */
  readonly scannedAt: number
  readonly id: string
}

/** A page's scans, newest first, after a position. */
export function listScanPlaces(
  tenantId: string,
  pageId: string,
  after: ScanPosition | undefined,
  limit: number,
): Query<ScanPlace> {
  const behind = after ? sql`WHERE (scannedAt, id) < (${at(new Date(after.scannedAt))}, ${text(after.id)})` : empty
  const chosen = sql`${behind} ORDER BY ${newestFirst} LIMIT ${uint(limit)}`
  return queryScanHistory('listScanPlaces', tenantId, sql`page_id = ${uuid(pageId)}`, chosen)
}
