import { z } from 'zod'
import { activityHashes } from '../../schema/scripts.ts'
import type { Query } from '../sql/query.ts'
import { sql, uint } from '../sql/sql.ts'
import { sightingsIn } from './script-activity.ts'
import type { InventoryFilter } from './script-inventory.ts'

const row = z.object({ url: z.string(), hashes: z.array(z.string()) })

/** Hashes as sent by browsers, most recently seen first (Rule 54). */
export function listScriptHashes(filter: InventoryFilter, truncated: boolean): Query<z.infer<typeof row>> {
  const hashes = sql`
    SELECT url, reported_hash, toUnixTimestamp64Milli(max(seen_to)) AS last_at
    FROM ${sightingsIn(filter, truncated)}
    GROUP BY url, reported_hash`
  const lastSeenFirst = sql`arraySlice(arraySort(groupArray((-last_at, reported_hash))), 1, ${uint(activityHashes)})`
  return {
    name: 'listScriptHashes',
    statement: sql`
      SELECT url, arrayMap(seen -> seen.2, ${lastSeenFirst}) AS hashes
      FROM (${hashes})
      GROUP BY url`,
    row,
  }
}
