import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { paymentPagesAmong, sightingsIn } from './script-activity.ts'
import type { InventoryFilter } from './script-inventory.ts'

const row = z.object({
  url: z.string(),
  /** Ids of the payment pages. */
  pageIds: z.array(z.string()),
  /** Distinct pages that are just those. */
  pageCount: rowCount,
  /** Milliseconds since the Unix epoch. */
  lastAt: z.int(),
})

/** What browsers reported of a script on pages that are the same payment pages. */
export type PaymentActivity = z.infer<typeof row>

/**
 * The scripts that browsers reported on payment pages in the window, a row for each combination of those that a page is.
 * The filter has a payment page.
 * @param truncated as `listScriptActivity` takes it.
 */
export function listPaymentActivity(filter: InventoryFilter, truncated: boolean): Query<PaymentActivity> {
  const sightings = sightingsIn(filter, truncated)
  return {
    name: 'listPaymentActivity',
    statement: sql`SELECT url, page_ids AS pageIds, uniqExact(page) AS pageCount, toUnixTimestamp64Milli(max(seen_to)) AS lastAt FROM ${sightings} AS sighted INNER JOIN ${paymentPagesAmong(sightings, filter)} AS matched USING (page) GROUP BY url, page_ids`,
    row,
  }
}
