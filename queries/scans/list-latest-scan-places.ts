import type { Query } from '../query.ts'
import { empty, sql, uuids } from '../sql.ts'
import { askHistory, newestFirst, type ScanPlace } from './scan-history.ts'

/**
 * The latest scan of each of some pages; a page without one has no row.
 * @param of the latest of all, or the latest that is complete.
 */
export function listLatestScanPlaces(
  tenantId: string,
  pageIds: readonly string[],
  of: 'all' | 'complete',
): Query<ScanPlace> {
  const counted = of === 'complete' ? sql`WHERE complete` : empty
  const chosen = sql`${counted} ORDER BY ${newestFirst} LIMIT 1 BY pageId`
  return askHistory('listLatestScanPlaces', tenantId, sql`page_id IN ${uuids(pageIds)}`, chosen)
}
