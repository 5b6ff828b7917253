import type { Query } from '../sql/query.ts'
import { empty, sql } from '../sql/sql.ts'
import { askHistory, newestFirst, ofPages, type ScanPlace, type SomePages } from './scan-history.ts'

/**
 * The latest scan of each of some pages; a page without one has no row.
 * @param of the latest of all, or the latest that is complete.
 */
export function listLatestScanPlaces(tenantId: string, pages: SomePages, of: 'all' | 'complete'): Query<ScanPlace> {
  const counted = of === 'complete' ? sql`WHERE complete` : empty
  const chosen = sql`${counted} ORDER BY ${newestFirst} LIMIT 1 BY pageId`
  return askHistory('listLatestScanPlaces', tenantId, ofPages(pages), chosen)
}
