import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import type { InventoryFilter } from './script-inventory.ts'
import { keysOf, violatingScripts } from './violating-scripts.ts'

const row = z.object({ host: z.string(), scripts: rowCount, onPayment: rowCount })

export type UninventoriedCount = z.infer<typeof row>

/** Unprotected scripts that the inventory lacks, by host of a known script; other hosts share the row ''. */
export function countUninventoriedScripts(
  filter: InventoryFilter,
  known: readonly string[],
  truncated: boolean,
): Query<UninventoriedCount> {
  const hosts = new Set(known.map((url) => new URL(url).hostname))
  return {
    name: 'countUninventoriedScripts',
    statement: sql`
      WITH replaceRegexpOne(splitByChar('/', url)[3], ':[0-9]+$', '') AS hostname
      SELECT if(halfMD5(hostname) IN ${keysOf([...hosts])}, hostname, '') AS host,
        count() AS scripts, countIf(notEmpty(lastOnPayment)) AS onPayment
      FROM (${violatingScripts(filter, known, truncated)})
      WHERE NOT isInventoried
      GROUP BY host`,
    row,
  }
}
