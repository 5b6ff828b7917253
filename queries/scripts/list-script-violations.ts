import { hash } from 'node:crypto'
import { z } from 'zod'
import { dispositions } from '../../schema/enumerations.ts'
import { inventorySize } from '../../schema/scripts.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, uint, uint64s } from '../sql/sql.ts'
import { paymentPagesAmong, scriptReports } from './script-activity.ts'
import { type InventoryFilter, inventoriedUrls } from './script-inventory.ts'

const row = z.object({
  url: z.string(),
  /** When it was last loaded without integrity metadata. */
  lastAt: rowTime,
  /** Whether the browser let it through then. */
  mode: z.enum(dispositions),
  /** When it was last loaded so on each payment page, by its id; milliseconds since the Unix epoch. */
  lastOnPayment: z.record(z.string(), z.int()),
  isInventoried: z.boolean(),
})

/** A script that browsers reported loading without integrity metadata. */
export type ScriptViolation = z.infer<typeof row>

/** First half of the MD5: of some URLs the only thing that is short enough to send. */
const keyOf = (url: string) => hash('md5', url, 'buffer').readBigUInt64BE()

/**
 * The scripts that browsers reported loading without integrity metadata in the window, the latest first: the known ones
 * and at most 1,000 others, of more those that the inventory lacks, of these those of payment pages, and then the latest.
 * @param known URLs of the inventory, at most 1,000.
 * @param truncated the inventory has others.
 */
export function listScriptViolations(
  filter: InventoryFilter,
  known: readonly string[],
  truncated: boolean,
): Query<ScriptViolation> {
  const violations = scriptReports({ ...filter, url: undefined }, 'integrity-violation')
  const isKnown = sql`halfMD5(url) IN ${uint64s(known.map(keyOf))}`
  const isInventoried = truncated ? sql`isKnown OR url IN ${inventoriedUrls(filter)}` : sql`isKnown`
  // Of several at one moment the browser blocked it.
  const mode = sql`if(max((seen_to, disposition = 'enforce')).2, 'enforce', 'report')`
  const lastOnPayment = sql`maxMap(mapFromArrays(page_ids, arrayWithConstant(length(page_ids), toUnixTimestamp64Milli(seen_to))))`
  const matched = sql`${violations} AS violated LEFT JOIN ${paymentPagesAmong(violations, filter)} AS matched USING (page)`
  const [onPayment, reports] = filter.hasPaymentPages
    ? [lastOnPayment, matched]
    : [sql`CAST(map(), 'Map(String, Int64)')`, violations]
  const scripts = sql`SELECT url, max(seen_to) AS lastAt, ${mode} AS mode, ${onPayment} AS lastOnPayment, ${isKnown} AS isKnown, (${isInventoried})::Bool AS isInventoried FROM ${reports} GROUP BY url`
  return {
    name: 'listScriptViolations',
    statement: sql`SELECT url, lastAt, mode, lastOnPayment, isInventoried FROM (${scripts} ORDER BY isKnown DESC, isInventoried, notEmpty(lastOnPayment) DESC, lastAt DESC, url LIMIT ${uint(inventorySize)} BY isKnown) ORDER BY lastAt DESC, url`,
    row,
  }
}
