import { inventorySize } from '../../schema/scripts.ts'
import { paymentPageIds } from '../pages/payment-pages.ts'
import type { TimeRange } from '../rollups/time-range.ts'
import { at, empty, join, noTime, type Sql, sql, text, uint, uuid } from '../sql/sql.ts'

/** Whose scripts are asked for. */
export interface InventoryFilter {
  readonly tenantId: string
  readonly siteId: string
  /** What activity, integrity and scans are read over. */
  readonly window: TimeRange
  /** The first moment retention reaches: what nothing has seen since is listed only where somebody decided about it. */
  readonly retentionFrom: number
  /** The site has a payment page. */
  readonly hasPaymentPages: boolean
  /** Every script of the site where it is undefined. */
  readonly url?: string | undefined
}

const ofScript = ({ url }: InventoryFilter): Sql => (url === undefined ? empty : sql` AND script_url = ${text(url)}`)

/** What must hold of the rows of a table that has a tenant, a site and a script. */
export const ofInventory = (filter: InventoryFilter): Sql =>
  sql`tenant_id = ${uuid(filter.tenantId)} AND site_id = ${uuid(filter.siteId)}${ofScript(filter)}`

/** What scans of the site's payment pages found, a row for each script tag. */
export function scannedTags(filter: InventoryFilter): Sql {
  return sql`(SELECT toString(page_id) AS page_id, toString(id) AS scan_id, scanned_at, script_url, script_hash, has_integrity FROM page_scans FINAL ARRAY JOIN script_urls AS script_url, script_hashes AS script_hash, script_integrity AS has_integrity WHERE tenant_id = ${uuid(filter.tenantId)} AND page_scans.page_id IN ${paymentPageIds(filter)} AND status = 'complete' AND script_url != ''${ofScript(filter)})`
}

/** Every sighting of a script's version, by browsers and by scans; a script that was decided about has one without a time. */
function sightings(filter: InventoryFilter): Sql {
  const ofBrowsers = sql`SELECT script_url, script_hash, first_seen_at AS seen_from, last_seen_at AS seen_to, 'report' AS source FROM script_versions WHERE ${ofInventory(filter)}`
  const ofScans = sql`SELECT script_url, script_hash, scanned_at, scanned_at, 'scan' FROM ${scannedTags(filter)}`
  const ofDecisions = sql`SELECT script_url, '', ${noTime}, ${noTime}, 'decision' FROM script_decisions FINAL WHERE ${ofInventory(filter)}`
  // A branch less is a good part of the cost.
  const all = filter.hasPaymentPages ? [ofBrowsers, ofDecisions, ofScans] : [ofBrowsers, ofDecisions]
  return sql`(${join(all, ' UNION ALL ')})`
}

const isListed = ({ retentionFrom }: InventoryFilter, seenTo: Sql, decided: Sql): Sql =>
  sql`max(${seenTo}) >= ${at(new Date(retentionFrom))} OR max(${decided})`

const byScript = (filter: InventoryFilter): Sql =>
  sql`FROM ${sightings(filter)} GROUP BY script_url HAVING ${isListed(filter, sql`seen_to`, sql`source = 'decision'`)}`

/** A SELECT of the URL of every script that the inventory has, for IN. */
export const inventoriedUrls = (filter: InventoryFilter): Sql => sql`(SELECT script_url ${byScript(filter)})`

/** The same of the scripts that a read returns: of more, those seen last. */
export const returnedUrls = (filter: InventoryFilter): Sql =>
  sql`(SELECT script_url ${byScript(filter)} ORDER BY max(seen_to) DESC, script_url LIMIT ${uint(inventorySize)})`

/** A SELECT of every hash of the inventory, for IN. */
export function inventoriedHashes(filter: InventoryFilter): Sql {
  const ofBrowsers = sql`SELECT script_hash FROM script_versions WHERE ${ofInventory(filter)}`
  const ofScans = sql`SELECT script_hash FROM ${scannedTags(filter)}`
  return filter.hasPaymentPages ? sql`(${ofBrowsers} UNION ALL ${ofScans})` : sql`(${ofBrowsers})`
}

/** Versions of one script that are answered; of more, those seen last. */
const longestHistory = 200

/**
 * A SELECT of the inventory's scripts, the last seen first, and of one more than a read returns: `url`, its times, and
 * `versions`, the last seen first, as tuples of seen to, seen from, hash, reported from and scanned from in milliseconds
 * since the Unix epoch, 0 for never.
 */
export function inventoriedScripts(filter: InventoryFilter): Sql {
  const versions = sql`SELECT script_url, script_hash, minIf(seen_from, source = 'report') AS reported_from, minIf(seen_from, source = 'scan') AS scanned_from, minIf(seen_from, source != 'decision') AS version_from, maxIf(seen_to, script_hash != '' OR source = 'report') AS version_to, max(seen_to) AS last_seen_at, max(source = 'decision') AS decided FROM ${sightings(filter)} GROUP BY script_url, script_hash`
  const version = sql`(toUnixTimestamp64Milli(version_to), toUnixTimestamp64Milli(version_from), script_hash, toUnixTimestamp64Milli(reported_from), toUnixTimestamp64Milli(scanned_from))`
  // A tag that a scan could not hash says nothing of a version.
  const history = sql`groupArrayIf(${version}, script_hash != '' OR reported_from > ${noTime})`
  return sql`SELECT script_url AS url, nullIf(minIf(version_from, version_from > ${noTime}), ${noTime}) AS firstSeenAt, nullIf(max(last_seen_at), ${noTime}) AS lastSeenAt, nullIf(maxIf(version_from, script_hash != ''), ${noTime}) AS lastNewHashAt, arraySlice(arrayReverseSort(${history}), 1, ${uint(longestHistory)}) AS versions FROM (${versions}) GROUP BY script_url HAVING ${isListed(filter, sql`last_seen_at`, sql`decided`)} ORDER BY max(last_seen_at) DESC, script_url LIMIT ${uint(inventorySize + 1)}`
}
