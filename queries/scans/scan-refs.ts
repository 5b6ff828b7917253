/** @module References to scans with their pages' histories, from narrow columns; `listScans` reads the rest. */

import { z } from 'zod'
import type { PageOf, Query, TimePosition } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { at, empty, type Sql, sql, text, uint, uuid, uuids } from '../sql/sql.ts'

const row = z.object({
  pageId: z.string(),
  id: z.string(),
  scannedAt: rowTime,
  consecutiveFailures: rowCount,
  /** The page's last complete scan before it; '' for a failed scan, and for the first complete one. */
  comparedId: z.string(),
  /** The epoch without a compared scan. */
  comparedAt: rowTime,
})

export type ScanRef = z.infer<typeof row>

/** Rule 29; ids compare as text. */
export const newestFirst: Sql = sql`scannedAt DESC, id DESC`

/** Page ids, or a SELECT of them. */
export type PageSelection = readonly string[] | Sql

export const ofPages = (pages: PageSelection): Sql => sql`page_id IN ${'strings' in pages ? pages : uuids(pages)}`

/**
 * Scans with `ordinal` (1 for the page's oldest), `complete`, and `compared`. `compared` has ordinal, time, id,
 * headers_key and grade of the previous complete scan, with ordinal 0 if there is none.
 * @param chosen WHERE, ORDER BY and LIMIT over them.
 */
export function queryScanHistory(name: string, tenantId: string, pages: Sql, chosen: Sql): Query<ScanRef> {
  const scans = sql`
    SELECT page_id AS pageId, toString(page_scans.id) AS id, scanned_at AS scannedAt,
      status = 'complete' AS complete, headers_key, grade,
      row_number() OVER (PARTITION BY page_id ORDER BY scanned_at, toString(page_scans.id)) AS ordinal
    FROM page_scans FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND ${pages}`
  const history = sql`
    SELECT *, maxIf((ordinal, scannedAt, id, headers_key, grade), complete) OVER (
      PARTITION BY pageId ORDER BY ordinal ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS compared
    FROM (${scans})`
  const statement = sql`
    SELECT pageId, id, scannedAt, if(complete, 0, ordinal - compared.1) AS consecutiveFailures,
      if(complete, compared.3, '') AS comparedId, compared.2 AS comparedAt
    FROM (${history})
    ${chosen}`
  return { name, statement, row }
}

export function findScanRef(tenantId: string, pageId: string, scanId: string): Query<ScanRef> {
  return queryScanHistory('findScanRef', tenantId, sql`page_id = ${uuid(pageId)}`, sql`WHERE id = ${text(scanId)}`)
}

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

export function listLatestScanRefs(tenantId: string, pages: PageSelection, of: 'all' | 'complete'): Query<ScanRef> {
  const counted = of === 'complete' ? sql`WHERE complete` : empty
  const chosen = sql`${counted} ORDER BY ${newestFirst} LIMIT 1 BY pageId`
  return queryScanHistory('listLatestScanRefs', tenantId, ofPages(pages), chosen)
}
