import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { type Sql, sql, uuid, uuids } from '../sql/sql.ts'

/** A scan by its place in its page's history; the rest of it is read with `listScans`. */
export interface ScanPlace {
  readonly pageId: string
  readonly id: string
  readonly scannedAt: string
  /** Failed scans since the last complete one, this one included; 0 for a complete scan. */
  readonly consecutiveFailures: number
  /** The page's last complete scan before it; '' for a failed scan, and for the first complete one. */
  readonly comparedId: string
  /** When that was; the epoch where there is none. */
  readonly comparedAt: string
}

const row: z.ZodType<ScanPlace> = z.object({
  pageId: z.string(),
  id: z.string(),
  scannedAt: rowTime,
  consecutiveFailures: rowCount,
  comparedId: z.string(),
  comparedAt: rowTime,
})

/** Newest first; of scans of one moment the id decides, as text (decisions, Reports). */
export const newestFirst: Sql = sql`scannedAt DESC, id DESC`

/** Pages by their ids, or by a SELECT of them. */
export type PageSelection = readonly string[] | Sql

/** The condition that a scan is of one of them. */
export const ofPages = (pages: PageSelection): Sql => sql`page_id IN ${'strings' in pages ? pages : uuids(pages)}`

/**
 * A question about the scans of some pages. Each has its `place` among its page's scans, 1 for the oldest, whether it is
 * `complete`, and `compared`: place, time, id, headers_key and grade of the last complete scan before it, place 0 where
 * there is none. Only light columns are read, of every scan of the pages.
 * @param pages a condition on page_id.
 * @param chosen which scans are answered, and in which order: what stands behind a FROM.
 */
export function queryScanHistory(name: string, tenantId: string, pages: Sql, chosen: Sql): Query<ScanPlace> {
  const scans = sql`SELECT page_id AS pageId, toString(page_scans.id) AS id, scanned_at AS scannedAt, status = 'complete' AS complete, headers_key, grade, row_number() OVER (PARTITION BY page_id ORDER BY scanned_at, toString(page_scans.id)) AS place FROM page_scans FINAL WHERE tenant_id = ${uuid(tenantId)} AND ${pages}`
  const history = sql`SELECT *, maxIf((place, scannedAt, id, headers_key, grade), complete) OVER (PARTITION BY pageId ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS compared FROM (${scans})`
  const projection = sql`pageId, id, scannedAt, if(complete, 0, place - compared.1) AS consecutiveFailures, if(complete, compared.3, '') AS comparedId, compared.2 AS comparedAt`
  return { name, statement: sql`SELECT ${projection} FROM (${history}) ${chosen}`, row }
}
