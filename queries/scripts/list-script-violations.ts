import { hash } from 'node:crypto'
import { z } from 'zod'
import { dispositions } from '../../schema/enumerations.ts'
import { inventorySize } from '../../schema/scripts.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { empty, sql, uint, uint64s } from '../sql/sql.ts'
import { paymentPagesAmong, scriptReports } from './script-activity.ts'
import { type InventoryFilter, inventoriedUrls } from './script-inventory.ts'

const row = z.object({
  url: z.string(),
  lastAt: rowTime,
  /** Of the last load. */
  mode: z.enum(dispositions),
  /** Last load on each payment page by its id, in milliseconds since the Unix epoch. */
  lastOnPayment: z.record(z.string(), z.int()),
  isInventoried: z.boolean(),
})

export type ScriptViolation = z.infer<typeof row>

/** First half of the MD5: URLs would be too long to send. */
const keyOf = (url: string) => hash('md5', url, 'buffer').readBigUInt64BE()

/**
 * Scripts loaded without integrity metadata, latest first: the known ones and 1,000 others, preferring scripts outside
 * the inventory, then on payment pages, then the latest. Violations that name no script share the URL ''.
 * @param known URLs of the inventory, at most 1,000.
 * @param truncated the inventory has more.
 */
export function listScriptViolations(
  filter: InventoryFilter,
  known: readonly string[],
  truncated: boolean,
): Query<ScriptViolation> {
  const violations = scriptReports({ ...filter, url: undefined }, 'integrity-violation')
  const isKnown = sql`halfMD5(url) IN ${uint64s(known.map(keyOf))}`
  const isOther = truncated ? sql` OR url IN ${inventoriedUrls(filter)}` : empty
  // Of several at one moment, enforce wins.
  const mode = sql`if(max((seen_to, disposition = 'enforce')).2, 'enforce', 'report')`
  const seenTimes = sql`arrayWithConstant(length(page_ids), toUnixTimestamp64Milli(seen_to))`
  const lastOnPayment = sql`maxMap(mapFromArrays(page_ids, ${seenTimes}))`
  const matched = sql`${violations} AS violated
    LEFT JOIN ${paymentPagesAmong(violations, filter)} AS matched USING (page)`
  const [onPayment, reports] = filter.hasPaymentPages
    ? [lastOnPayment, matched]
    : [sql`CAST(map(), 'Map(String, Int64)')`, violations]
  const scripts = sql`
    SELECT url, max(seen_to) AS lastAt, ${mode} AS mode, ${onPayment} AS lastOnPayment, ${isKnown} AS isKnown,
      (isKnown OR url = ''${isOther})::Bool AS isInventoried
    FROM ${reports}
    GROUP BY url
    ORDER BY isKnown DESC, isInventoried, notEmpty(lastOnPayment) DESC, lastAt DESC, url
    LIMIT ${uint(inventorySize)} BY isKnown`
  return {
    name: 'listScriptViolations',
    statement: sql`
      SELECT url, lastAt, mode, lastOnPayment, isInventoried
      FROM (${scripts})
      ORDER BY lastAt DESC, url`,
    row,
  }
}
