import type { Query } from '../sql/query.ts'
import { empty, sql } from '../sql/sql.ts'
import { newestFirst, ofPages, type PageSelection, queryScanHistory, type ScanRef } from './scan-history.ts'

export function listLatestScanRefs(tenantId: string, pages: PageSelection, of: 'all' | 'complete'): Query<ScanRef> {
  const counted = of === 'complete' ? sql`WHERE complete` : empty
  const chosen = sql`${counted} ORDER BY ${newestFirst} LIMIT 1 BY pageId`
  return queryScanHistory('listLatestScanRefs', tenantId, ofPages(pages), chosen)
}
