import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { sightingsIn } from './script-activity.ts'
import type { InventoryFilter } from './script-inventory.ts'

const row = z.object({ url: z.string(), reportCount: rowCount, pageCount: rowCount })

/** @param truncated the site has more scripts than a read returns; the others are left out. */
export function listScriptActivity(filter: InventoryFilter, truncated: boolean): Query<z.infer<typeof row>> {
  return {
    name: 'listScriptActivity',
    statement: sql`
      SELECT url, sum(reports) AS reportCount, uniqExactIf(page, page != '') AS pageCount
      FROM ${sightingsIn(filter, truncated)}
      GROUP BY url`,
    row,
  }
}
