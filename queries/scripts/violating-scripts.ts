/** @module Subselect of scripts loaded without integrity metadata. */

import { hash } from 'node:crypto'
import { empty, type Sql, sql, uint64s } from '../sql/sql.ts'
import { paymentPagesAmong, scriptReports } from './script-activity.ts'
import { type InventoryFilter, inventoriedUrls } from './script-inventory.ts'

/** First half of the MD5 of each: URLs would be too long to send. */
export const keysOf = (texts: readonly string[]): Sql =>
  sql`${uint64s(texts.map((text) => hash('md5', text, 'buffer').readBigUInt64BE()))}`

/**
 * A row for each script; violations that name no script share the URL '', which counts as inventoried.
 * @param known URLs of the inventory, at most 1,000.
 * @param truncated the inventory has more.
 */
export function violatingScripts(filter: InventoryFilter, known: readonly string[], truncated: boolean): Sql {
  const violations = scriptReports({ ...filter, url: undefined }, 'integrity-violation')
  const isOther = truncated ? sql` OR url IN ${inventoriedUrls(filter)}` : empty
  // At the same time, enforce wins.
  const mode = sql`if(max((seen_to, disposition = 'enforce')).2, 'enforce', 'report')`
  const seenTimes = sql`arrayWithConstant(length(page_ids), toUnixTimestamp64Milli(seen_to))`
  const lastOnPayment = sql`maxMap(mapFromArrays(page_ids, ${seenTimes}))`
  const matched = sql`${violations} AS violated
    LEFT JOIN ${paymentPagesAmong(violations, filter)} AS matched USING (page)`
  const [onPayment, reports] = filter.hasPaymentPages
    ? [lastOnPayment, matched]
    : [sql`CAST(map(), 'Map(String, Int64)')`, violations]
  return sql`
    SELECT url, max(seen_to) AS lastAt, ${mode} AS mode, ${onPayment} AS lastOnPayment,
      halfMD5(url) IN ${keysOf(known)} AS isKnown, (isKnown OR url = ''${isOther})::Bool AS isInventoried
    FROM ${reports}
    GROUP BY url`
}
