import type { PageOf, Query } from '../sql/query.ts'
import { at, empty, sql, text, uint, uuid } from '../sql/sql.ts'
import type { TimePosition } from '../sql/time-position.ts'
import { newestFirst, queryScanHistory, type ScanRef } from './scan-history.ts'

/** Newest first. */
export function listScanRefs(
  tenantId: string,
  pageId: string,
  { after, limit }: PageOf<TimePosition<'scannedAt'>>,
): Query<ScanRef> {
  const isAfter = after ? sql`WHERE (scannedAt, id) < (${at(new Date(after.scannedAt))}, ${text(after.id)})` : empty
  const chosen = sql`${isAfter} ORDER BY ${newestFirst} LIMIT ${uint(limit)}`
  return queryScanHistory('listScanRefs', tenantId, sql`page_id = ${uuid(pageId)}`, chosen)
}
