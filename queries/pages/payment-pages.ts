import { type Sql, sql, uuid } from '../sql/sql.ts'

/** Whose pages are meant. The store reads them itself, as a statement cannot carry however many there are. */
export interface SiteRef {
  readonly tenantId: string
  readonly siteId: string
}

const ofPayment = ({ tenantId, siteId }: SiteRef): Sql =>
  sql`FROM monitored_pages FINAL WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)} AND kind = 'payment'`

/** A SELECT of the id of each page of a site, of payment or not, for IN. */
export const sitePageIds = ({ tenantId, siteId }: SiteRef): Sql =>
  sql`(SELECT id FROM monitored_pages FINAL WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)})`

/** A SELECT of the id of each payment page, for IN. */
export const paymentPageIds = (site: SiteRef): Sql => sql`(SELECT id ${ofPayment(site)})`

/**
 * A SELECT of the pattern of each payment page as `pageMatch` reads it: `page_id`, `start`, what every match begins with, and
 * `expression`, empty where nothing but the start itself matches.
 */
export function paymentPatterns(site: SiteRef): Sql {
  const open = sql`endsWith(pattern, '/**')`
  const closed = sql`if(${open}, substring(pattern, 1, length(pattern) - 2), pattern)`
  // Each star is quoted by a sign before it.
  const expression = sql`concat('^', replaceRegexpAll(regexpQuoteMeta(${closed}), '(.[*])+', '[^/]*'), if(${open}, '', '$'))`
  return sql`(SELECT toString(id) AS page_id, splitByChar('*', ${closed})[1] AS start, if(position(pattern, '*') = 0, '', ${expression}) AS expression ${ofPayment(site)})`
}
