import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { paymentPagesAmong, sightingsIn } from './script-activity.ts'
import type { InventoryFilter } from './script-inventory.ts'

const row = z.object({
  url: z.string(),
  pageIds: z.array(z.string()),
  /** Distinct pages that match just these payment pages. */
  pageCount: rowCount,
  lastAt: z.int(),
})

export type PaymentActivity = z.infer<typeof row>

/** A row for each script and combination of payment pages that a page matches; the site has a payment page. */
export function listPaymentActivity(filter: InventoryFilter, truncated: boolean): Query<PaymentActivity> {
  const sightings = sightingsIn(filter, truncated)
  return {
    name: 'listPaymentActivity',
    statement: sql`
      SELECT url, page_ids AS pageIds, uniqExact(page) AS pageCount, toUnixTimestamp64Milli(max(seen_to)) AS lastAt
      FROM ${sightings} AS sighted
      INNER JOIN ${paymentPagesAmong(sightings, filter)} AS matched USING (page)
      GROUP BY url, page_ids`,
    row,
  }
}
