/** @module Rows of a site in every table with rows of tenants, by site_id or by another tie. */

import type { SiteRef } from '../pages/payment-pages.ts'
import { name, type Sql, sql, uuid } from '../sql/sql.ts'
import type { OwnedTable } from './list-owned-tables.ts'

type Tie = (site: SiteRef) => Sql

/** Every page that the site ever had, including removed ones. */
const byPage: Tie = (site) => sql`page_id IN (
  SELECT id FROM monitored_pages WHERE ${byColumn(site)}
  UNION ALL
  SELECT id FROM monitored_pages_history WHERE ${byColumn(site)})`

/** Includes digests, which lose their alert with any of their sites. */
const byAlert: Tie = ({ tenantId, siteId }) => sql`alert_id IN (
  SELECT id FROM alerts
  WHERE tenant_id = ${uuid(tenantId)} AND (site_id = ${uuid(siteId)} OR has(site_ids, ${uuid(siteId)})))`

/** Tables without a site_id, except rollups: the tie of their rows to a site, null if there is none. */
export const siteTies: Readonly<Record<string, Tie | null>> = {
  alert_attempts: byAlert,
  alert_destinations: null,
  import_leases: null,
  // Parts of deleted sites are no lost ones, and a file that was imported before is not stored again.
  import_log: null,
  import_log_by_time: null,
  page_scans: byPage,
  page_scans_history: byPage,
  tenants: null,
  tenants_history: null,
}

/** Tables that ties read: their rows are deleted after all others, so that an interrupted deletion finds those again. */
export const tieSources: readonly string[] = ['alerts', 'monitored_pages', 'monitored_pages_history']

/** True of a site's rows in the table; undefined for a table without such rows. */
export function ofSite({ table, ofSites }: OwnedTable, site: SiteRef): Sql | undefined {
  if (ofSites) return byColumn(site, table === 'sites' ? 'id' : 'site_id')
  const tie = siteTies[table]
  return tie ? sql`tenant_id = ${uuid(site.tenantId)} AND ${tie(site)}` : undefined
}

function byColumn({ tenantId, siteId }: SiteRef, column = 'site_id'): Sql {
  return sql`tenant_id = ${uuid(tenantId)} AND ${name(column)} = ${uuid(siteId)}`
}
