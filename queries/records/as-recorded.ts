/** @module Queries of a site's records as of an earlier time: each table of records is read from its history. */

import type { SiteRef } from '../pages/payment-pages.ts'
import type { Query, Reader } from '../sql/query.ts'
import { at, empty, name, type Sql, sql, uuid } from '../sql/sql.ts'

const ofSite = ({ siteId }: SiteRef): Sql => sql` AND site_id = ${uuid(siteId)}`

const ofPages = (site: SiteRef): Sql => sql` AND page_id IN (
      SELECT id
      FROM monitored_pages_history
      WHERE tenant_id = ${uuid(site.tenantId)}${ofSite(site)})`

const whole = () => empty

/** Columns that each history adds to its records, its condition for a site, and the key of a record. */
const histories: Readonly<Record<string, readonly [columns: Sql, narrow: (site: SiteRef) => Sql, key: Sql]>> = {
  tenants: [sql`*, tenant_id AS id`, whole, sql`tenant_id`],
  sites: [sql`*, site_id AS id`, ofSite, sql`site_id`],
  monitored_pages: [sql`*`, ofSite, sql`id`],
  page_scans: [sql`*`, ofPages, sql`page_id, scanned_at, id`],
  // A decision about another site's script gives access too (Rule 6).
  script_decisions: [sql`*`, whole, sql`id`],
  source_decisions: [sql`*`, ofSite, sql`id`],
  script_captures: [sql`*`, ofSite, sql`id`],
  alert_rules: [sql`*`, whole, sql`id`],
  // A destination is judged by its latest delivery, about any site or none.
  alert_deliveries: [sql`*`, whole, sql`created_at, id`],
}

/** Rows under the name of the table that they replace. */
function rowsAsOf(table: string, site: SiteRef, time: Date): Sql {
  const ofTenant = sql`tenant_id = ${uuid(site.tenantId)}`
  const [columns, narrow, key] = histories[table] ?? []
  if (columns && narrow && key) {
    return sql`(
    SELECT ${columns}
    FROM ${name(`${table}_history`)} FINAL
    WHERE ${ofTenant} AND updated_at <= ${at(time)}${narrow(site)}
    ORDER BY updated_at DESC
    LIMIT 1 BY ${key}) AS ${name(table)}`
  }
  // Browsers' sightings have only their first and last time, and are recorded until they are forgotten.
  const sightings = sql`tenant_id, site_id, script_url, script_hash, first_seen_at, last_seen_at, latest_request`
  const ofSightings = sql`${ofTenant}${ofSite(site)} AND first_seen_at <= ${at(time)}`
  return sql`(
    SELECT * REPLACE (least(last_seen_at, ${at(time)}) AS last_seen_at)
    FROM (
      SELECT ${sightings}
      FROM script_versions FINAL
      WHERE ${ofSightings}
      UNION ALL
      SELECT ${sightings}
      FROM script_versions_forgotten FINAL
      WHERE ${ofSightings} AND forgotten_at > ${at(time)})) AS ${name(table)}`
}

const tables = [...Object.keys(histories), 'script_versions'].join('|')

const tableRead = new RegExp(`(?<=\\b(?:FROM|JOIN) )(${tables})\\b(?: FINAL)?`)

/** The query over the versions of records that were the latest at a time. */
export function asRecorded<Row>(query: Query<Row>, site: SiteRef, time: Date): Query<Row> {
  const { strings, values } = query.statement
  const statement = strings.reduce((before, piece, index) => {
    const value = values[index - 1]
    // Alternating text and tables.
    return piece
      .split(tableRead)
      .reduce(
        (made, part, at) => sql`${made}${at % 2 === 0 ? { strings: [part], values: [] } : rowsAsOf(part, site, time)}`,
        value ? sql`${before}${value}` : before,
      )
  }, empty)
  return { ...query, statement }
}

export const readerAsRecorded = ({ read, readAll }: Reader, site: SiteRef, time: Date): Reader => ({
  read: (query) => read(asRecorded(query, site, time)),
  readAll: (queries) => readAll(queries.map((query) => asRecorded(query, site, time))),
})
