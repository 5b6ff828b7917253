/** @module Rows of a site in every table with rows of tenants, by site_id or by another tie. */

import { z } from 'zod'
import type { SiteRef } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { join, name, type Sql, sql, text, uuid } from '../sql/sql.ts'

const tableRow = z.object({ table: z.string(), ofSites: z.boolean() })

/** A table whose rows have a tenant, and of some a site too. */
export type OwnedTable = z.infer<typeof tableRow>

/** Tables with rows of tenants, from ClickHouse's catalogue, so that new tables are included. */
export const listOwnedTables: Query<OwnedTable> = {
  name: 'listOwnedTables',
  statement: sql`
    SELECT table, (table = 'sites' OR max(name = 'site_id'))::Bool AS ofSites
    FROM system.columns
    WHERE database = currentDatabase()
      AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')
    GROUP BY table
    HAVING table = 'tenants' OR max(name = 'tenant_id')
    ORDER BY table`,
  row: tableRow,
}

/** A tenant's rows of such a table. */
export const ofTenant = (table: string, tenantId: string): Sql =>
  sql`${name(table === 'tenants' ? 'id' : 'tenant_id')} = ${uuid(tenantId)}`

/** Rows of a table. */
export interface OwnedRows {
  readonly table: string
  readonly where: Sql
}

const countRow = z.object({ table: z.string(), rows: rowCount })

/** Tables without such rows are omitted. */
export const countOwnedRows = (owned: readonly OwnedRows[]): Query<z.infer<typeof countRow>> => {
  const counts = owned.map(
    ({ table, where }) => sql`SELECT ${text(table)} AS table, count() AS rows FROM ${name(table)} WHERE ${where}`,
  )
  return {
    name: 'countOwnedRows',
    statement: sql`SELECT table, rows FROM (${join(counts, ' UNION ALL ')}) WHERE rows > 0`,
    row: countRow,
    pool: 'maintenance',
  }
}

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
  // It outlives the site: what was deleted by whom.
  report_deletions: null,
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
