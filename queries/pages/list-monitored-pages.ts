import { monitoredPage, type PageRecord } from '../../schema/responses/monitored-page.ts'
import type { Query } from '../sql/query.ts'
import { empty, sql, text, uint, uuid } from '../sql/sql.ts'

/** Where a page of monitored pages left off. */
export type PagePosition = Pick<PageRecord, 'position' | 'id'>

const row = monitoredPage.omit({ latestScan: true })

/** A site's monitored pages, of one kind or any, in the order it lists them, after a position. Ids are ordered as text. */
export function listMonitoredPages(
  tenantId: string,
  siteId: string,
  after: PagePosition | undefined,
  limit: number,
  kind?: PageRecord['kind'],
): Query<PageRecord> {
  const rest = after ? sql` AND (position, toString(id)) > (${uint(after.position)}, ${text(after.id)})` : empty
  const ofKind = kind ? sql` AND kind = ${text(kind)}` : empty
  return {
    name: 'listMonitoredPages',
    statement: sql`SELECT id, site_id AS siteId, kind, label, pattern, nullIf(scan_url, '') AS scanUrl, position FROM monitored_pages FINAL WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)}${ofKind}${rest} ORDER BY position, toString(id) LIMIT ${uint(limit)}`,
    row,
  }
}
