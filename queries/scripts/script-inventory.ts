/** @module Subselects of a site's inventory of scripts. */

import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { inventorySize } from '../../schema/scripts.ts'
import { paymentPageIds } from '../pages/payment-pages.ts'
import { at, empty, join, noTime, type Sql, sql, text, uint, uuid } from '../sql/sql.ts'

export interface InventoryFilter {
  readonly tenantId: string
  readonly siteId: string
  /** Window of activity and integrity, and of scans unless they have their own. */
  readonly window: TimeRange
  /** Scans outlive the retention of reports. */
  readonly scanWindow?: TimeRange | undefined
  /** A script without a sighting since then is listed only with a decision; undefined lists every script. */
  readonly seenSince?: number | undefined
  readonly hasPaymentPages: boolean
  /** Every script if it is undefined. */
  readonly url?: string | undefined
}

const ofScript = ({ url }: InventoryFilter): Sql => (url === undefined ? empty : sql` AND script_url = ${text(url)}`)

export const inInventory = (filter: InventoryFilter): Sql =>
  sql`tenant_id = ${uuid(filter.tenantId)} AND site_id = ${uuid(filter.siteId)}${ofScript(filter)}`

export function scannedTags(filter: InventoryFilter): Sql {
  return sql`(
    SELECT toString(page_id) AS page_id, toString(id) AS scan_id, scanned_at, script_url, script_hash, has_integrity
    FROM page_scans FINAL
    ARRAY JOIN script_urls AS script_url, script_hashes AS script_hash, script_integrity AS has_integrity
    WHERE tenant_id = ${uuid(filter.tenantId)} AND page_scans.page_id IN ${paymentPageIds(filter)}
      AND status = 'complete' AND script_url != ''${ofScript(filter)})`
}

/** Sightings of script versions by browsers and scans; a decision is one without a time. */
function sightings(filter: InventoryFilter): Sql {
  const ofBrowsers = sql`
    SELECT script_url, script_hash, first_seen_at AS seen_from, last_seen_at AS seen_to, 'report' AS source
    FROM script_versions
    WHERE ${inInventory(filter)}`
  const ofScans = sql`SELECT script_url, script_hash, scanned_at, scanned_at, 'scan' FROM ${scannedTags(filter)}`
  const ofDecisions = sql`
    SELECT script_url, '', ${noTime}, ${noTime}, 'decision'
    FROM script_decisions FINAL
    WHERE ${inInventory(filter)}`
  // The scans are a large share of the cost.
  const all = filter.hasPaymentPages ? [ofBrowsers, ofDecisions, ofScans] : [ofBrowsers, ofDecisions]
  return sql`(${join(all, ' UNION ALL ')})`
}

const havingSeen = ({ seenSince }: InventoryFilter, seenTo: Sql, decided: Sql): Sql =>
  seenSince === undefined ? empty : sql`HAVING max(${seenTo}) >= ${at(new Date(seenSince))} OR max(${decided})`

const byScript = (filter: InventoryFilter): Sql => sql`
  FROM ${sightings(filter)}
  GROUP BY script_url
  ${havingSeen(filter, sql`seen_to`, sql`source = 'decision'`)}`

export const inventoriedUrls = (filter: InventoryFilter): Sql => sql`(SELECT script_url ${byScript(filter)})`

/** The scripts that one read returns (Rule 54): scripts with a decision or in a scan, then the earliest in reports. */
export const returnedUrls = (filter: InventoryFilter): Sql => sql`(
  SELECT script_url ${byScript(filter)}
  ORDER BY max(source != 'report') DESC, minIf(seen_from, source = 'report'), script_url
  LIMIT ${uint(inventorySize)})`

export function inventoriedHashes(filter: InventoryFilter): Sql {
  const ofBrowsers = sql`SELECT script_hash FROM script_versions WHERE ${inInventory(filter)}`
  const ofScans = sql`SELECT script_hash FROM ${scannedTags(filter)}`
  return filter.hasPaymentPages ? sql`(${ofBrowsers} UNION ALL ${ofScans})` : sql`(${ofBrowsers})`
}

/** Limit for one script, in addition to versions that its authorization pins (Rule 54). */
const lastVersions = 200

/** Current authorizations of hashes; without a list one pins those seen up to then. */
const pinning = (filter: InventoryFilter): Sql => sql`
  SELECT script_url, argMax((integrity_mode, pinned_hashes, decided_at), (decided_at, toString(id))) AS current,
    JSONExtract(current.2, 'Array(String)') AS pinned, if(empty(pinned), current.3, ${noTime}) AS pinned_until
  FROM script_decisions FINAL
  WHERE ${inInventory(filter)}
  GROUP BY script_url
  HAVING current.1 = 'pinned_hashes'`

/**
 * Scripts chosen by `returnedUrls`, one more than a read returns. `versions` are tuples of seen to, seen from, hash,
 * reported from, scanned from, and whether the version is pinned. Times are milliseconds since the Unix epoch, 0 for
 * never.
 */
export function inventoriedScripts(filter: InventoryFilter): Sql {
  const versions = sql`
    SELECT script_url, script_hash, minIf(seen_from, source = 'report') AS reported_from,
      minIf(seen_from, source = 'scan') AS scanned_from, minIf(seen_from, source != 'decision') AS version_from,
      maxIf(seen_to, script_hash != '' OR source = 'report') AS version_to, max(seen_to) AS last_seen_at,
      max(source = 'decision') AS decided, max(source != 'report') AS known
    FROM ${sightings(filter)}
    GROUP BY script_url, script_hash`
  const inList = sql`(script_url, script_hash) IN (SELECT script_url, arrayJoin(pinned) FROM (${pinning(filter)}))`
  const pinnable = sql`
    SELECT *, (script_hash != '' AND (version_from <= pinned_until OR ${inList}))::Bool AS is_pinned
    FROM (${versions}) AS versions
    LEFT JOIN (SELECT script_url, pinned_until FROM (${pinning(filter)})) AS pinning USING (script_url)`
  const version = sql`(toUnixTimestamp64Milli(version_to), toUnixTimestamp64Milli(version_from), script_hash,
        toUnixTimestamp64Milli(reported_from), toUnixTimestamp64Milli(scanned_from), is_pinned)`
  // An unhashed tag in a scan is not a version.
  const history = sql`arrayReverseSort(groupArrayIf(${version}, script_hash != '' OR reported_from > ${noTime}))`
  return sql`
    WITH ${history} AS history
    SELECT script_url AS url, nullIf(minIf(version_from, version_from > ${noTime}), ${noTime}) AS firstSeenAt,
      nullIf(max(last_seen_at), ${noTime}) AS lastSeenAt,
      nullIf(maxIf(version_from, script_hash != ''), ${noTime}) AS lastNewHashAt,
      arrayFilter((version, rank) -> rank <= ${uint(lastVersions)} OR version.6, history, arrayEnumerate(history))
        AS versions,
      (length(versions) < length(history))::Bool AS hashesTruncated
    FROM (${pinnable})
    GROUP BY script_url
    ${havingSeen(filter, sql`last_seen_at`, sql`decided`)}
    ORDER BY max(known) DESC, minIf(reported_from, reported_from > ${noTime}), script_url
    LIMIT ${uint(inventorySize + 1)}`
}
