import { monitoredPage, type PageRecord } from '../../schema/responses/monitored-page.ts'
import type { PageOf, Query } from '../sql/query.ts'
import { empty, sql, text, uint, uuid } from '../sql/sql.ts'

export type PagePosition = Pick<PageRecord, 'position' | 'id'>

const row = monitoredPage.omit({ latestScan: true })

/** Pages in the site's order, ties by id as text; without removed pages. */
export function listMonitoredPages(
  tenantId: string,
  siteId: string,
  { after, limit, kind }: PageOf<PagePosition> & { readonly kind?: PageRecord['kind'] },
): Query<PageRecord> {
  const isAfter = after ? sql` AND (position, toString(id)) > (${uint(after.position)}, ${text(after.id)})` : empty
  const ofKind = kind ? sql` AND kind = ${text(kind)}` : empty
  return {
    name: 'listMonitoredPages',
    statement: sql`
      SELECT id, site_id AS siteId, kind, label, pattern, nullIf(scan_url, '') AS scanUrl, position
      FROM monitored_pages FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)} AND NOT removed${ofKind}${isAfter}
      ORDER BY position, toString(id)
      LIMIT ${uint(limit)}`,
    row,
  }
}
