import { z } from 'zod'
import type { InventoriedScript } from '../../schema/rules/scripts/assemble-script.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { type InventoryFilter, inventoriedScripts } from './script-inventory.ts'

const version = z
  .tuple([z.int(), z.int(), z.string(), z.int(), z.int(), z.boolean()])
  .transform(([seenTo, , hash, reportedFrom, scannedFrom, pinned]) => ({
    seenTo,
    hash,
    reportedFrom,
    scannedFrom,
    pinned,
  }))

const row: z.ZodType<InventoriedScript> = z.object({
  url: z.string(),
  firstSeenAt: rowTime.nullable(),
  lastSeenAt: rowTime.nullable(),
  lastNewHashAt: rowTime.nullable(),
  versions: z.array(version),
  hashesTruncated: z.boolean(),
})

/** One more than a read returns, if there are more. */
export function listScripts(filter: InventoryFilter): Query<InventoriedScript> {
  return { name: 'listScripts', statement: inventoriedScripts(filter), row }
}
