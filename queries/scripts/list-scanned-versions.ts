import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { at, sql, uint } from '../sql/sql.ts'
import { type InventoryFilter, scannedTags } from './script-inventory.ts'

const row = z.object({
  url: z.string(),
  hash: z.string().nullable(),
  firstSeenAt: rowTime,
  lastSeenAt: rowTime,
  pageIds: z.array(z.string()),
})

/**
 * Bytes of scripts that scans of payment pages found since then, by URL and hash; the most recent ones if there are
 * more.
 */
export const listScannedVersions = (
  filter: InventoryFilter,
  { since, limit }: { readonly since: Date; readonly limit: number },
): Query<z.infer<typeof row>> => ({
  name: 'listScannedVersions',
  statement: sql`
    SELECT *
    FROM (
      SELECT script_url AS url, nullIf(script_hash, '') AS hash, min(scanned_at) AS firstSeenAt,
        max(scanned_at) AS lastSeenAt, arraySort(groupUniqArray(page_id)) AS pageIds
      FROM ${scannedTags(filter)}
      GROUP BY script_url, script_hash
      HAVING lastSeenAt >= ${at(since)}
      ORDER BY lastSeenAt DESC, url, hash
      LIMIT ${uint(limit)})
    ORDER BY url, hash`,
  row,
})
