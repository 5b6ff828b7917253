/** @module Subselects of browsers' reports about scripts. */

import { z } from 'zod'
import { paymentPatterns } from '../pages/payment-pages.ts'
import { groupSlices } from '../rollups/group-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { join, type Sql, sql, text } from '../sql/sql.ts'
import { type InventoryFilter, inInventory, returnedUrls } from './script-inventory.ts'

/** A row counts `reports`, the last at `seen_to`. @param conditions on columns of rollup and raw rows. */
export function scriptReports(
  filter: InventoryFilter,
  reportType: 'csp-hash' | 'integrity-violation',
  conditions: readonly Sql[] = [],
): Sql {
  const all = [sql`report_type = ${text(reportType)}`, inInventory(filter), ...conditions]
  const slices = groupSlices('reports_per_day_by_script', filter, all).map(({ from, page, isRaw }) => {
    const tally = isRaw
      ? sql`toUInt64(1) AS reports, received_at AS seen_to`
      : sql`report_count AS reports, last_seen_at AS seen_to`
    return sql`SELECT script_url AS url, ${page} AS page, reported_hash, disposition, ${tally} ${from}`
  })
  return sql`(${join(slices, ' UNION ALL ')})`
}

export const sightingsIn = (filter: InventoryFilter, truncated: boolean) =>
  scriptReports(filter, 'csp-hash', truncated ? [sql`script_url IN ${returnedUrls(filter)}`] : [])

/**
 * `page` and its `page_ids` of payment pages. Each page is matched once, and only with patterns whose literal start it has: a join on the page's prefixes.
 */
export function paymentPagesAmong(reports: Sql, filter: InventoryFilter): Sql {
  const lengths = sql`arrayDistinct(arrayMap(pattern -> length(pattern.1), site_patterns))`
  const prefixes = sql`arrayMap(bytes -> substring(page, 1, bytes), ${lengths})`
  return sql`(
    WITH (
      SELECT groupArray((start, expression, page_id))
      FROM ${paymentPatterns(filter)}
    ) AS site_patterns
    SELECT page, arraySort(groupUniqArray(page_id)) AS page_ids
    FROM (
      SELECT page, arrayJoin(arrayDistinct(arrayPushBack(${prefixes}, page))) AS start
      FROM (SELECT DISTINCT page FROM ${reports})
    ) AS pages
    INNER JOIN (
      SELECT pattern.1 AS start, pattern.2 AS expression, pattern.3 AS page_id
      FROM (SELECT arrayJoin(site_patterns) AS pattern)
    ) AS patterns USING (start)
    WHERE if(expression = '', page = start, match(page, expression))
    GROUP BY page)`
}

const scriptActivityRow = z.object({ url: z.string(), reportCount: rowCount, pageCount: rowCount })

/** @param truncated the site has more scripts than a read returns; the others are left out. */
export function listScriptActivity(
  filter: InventoryFilter,
  truncated: boolean,
): Query<z.infer<typeof scriptActivityRow>> {
  return {
    name: 'listScriptActivity',
    statement: sql`
      SELECT url, sum(reports) AS reportCount, uniqExactIf(page, page != '') AS pageCount
      FROM ${sightingsIn(filter, truncated)}
      GROUP BY url`,
    row: scriptActivityRow,
  }
}

const paymentActivityRow = z.object({
  url: z.string(),
  pageIds: z.array(z.string()),
  /** Distinct pages that match just these payment pages. */
  pageCount: rowCount,
  lastAt: z.int(),
})

export type PaymentActivity = z.infer<typeof paymentActivityRow>

/** A row per script and set of payment pages that its page matches. The site must have a payment page. */
export function listPaymentActivity(filter: InventoryFilter, truncated: boolean): Query<PaymentActivity> {
  const sightings = sightingsIn(filter, truncated)
  return {
    name: 'listPaymentActivity',
    statement: sql`
      SELECT url, page_ids AS pageIds, uniqExact(page) AS pageCount, toUnixTimestamp64Milli(max(seen_to)) AS lastAt
      FROM ${sightings} AS sighted
      INNER JOIN ${paymentPagesAmong(sightings, filter)} AS matched USING (page)
      GROUP BY url, page_ids`,
    row: paymentActivityRow,
  }
}
