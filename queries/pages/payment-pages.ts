/**
 * @module Subselects of a site's pages without removed ones, because there can be too many for a statement's
 * parameters.
 */

import { empty, type Sql, sql, uuid } from '../sql/sql.ts'

export interface SiteRef {
  readonly tenantId: string
  readonly siteId: string
}

/** Every site of the tenant without a site. */
export type SitesRef = Pick<SiteRef, 'tenantId'> & Partial<SiteRef>

function ofSite({ tenantId, siteId }: SitesRef): Sql {
  const ofOne = siteId === undefined ? empty : sql` AND site_id = ${uuid(siteId)}`
  return sql`FROM monitored_pages FINAL WHERE tenant_id = ${uuid(tenantId)}${ofOne} AND NOT removed`
}

export const sitePageIds = (site: SiteRef): Sql => sql`(SELECT id ${ofSite(site)})`

export const paymentPageIds = (site: SiteRef): Sql => sql`(SELECT id ${ofSite(site)} AND kind = 'payment')`

/**
 * Patterns in the form that `pageMatch` reads: `page_id`, `start`, the literal beginning of every match, and
 * `expression`, empty if only the start matches.
 */
export function paymentPatterns(site: SitesRef): Sql {
  const open = sql`endsWith(pattern, '/**')`
  const closed = sql`if(${open}, substring(pattern, 1, length(pattern) - 2), pattern)`
  // regexpQuoteMeta puts a backslash before each star.
  const segments = sql`replaceRegexpAll(regexpQuoteMeta(${closed}), '(.[*])+', '[^/]*')`
  return sql`(
    SELECT toString(id) AS page_id, splitByChar('*', ${closed})[1] AS start,
      if(position(pattern, '*') = 0, '', concat('^', ${segments}, if(${open}, '', '$'))) AS expression
    ${ofSite(site)} AND kind = 'payment')`
}
