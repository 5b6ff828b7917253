import { z } from 'zod'
import type { Query } from '../query.ts'
import { rowTime } from '../rows.ts'
import { type InventoryQuestion, inventoriedScripts } from './script-inventory.ts'

/** Seen to, seen from, hash, reported from, scanned from; milliseconds since the Unix epoch, 0 for never. */
const version = z.tuple([z.int(), z.int(), z.string(), z.int(), z.int()])

const row = z.object({
  url: z.string(),
  firstSeenAt: rowTime.nullable(),
  lastSeenAt: rowTime.nullable(),
  lastNewHashAt: rowTime.nullable(),
  versions: z.array(version),
})

/** A script of the inventory with its versions, the last seen first. */
export type InventoriedScript = z.infer<typeof row>

/** The scripts of a site's inventory, the last seen first: one more than a read returns, where there are more. */
export function listScripts(question: InventoryQuestion): Query<InventoriedScript> {
  return { name: 'listScripts', statement: inventoriedScripts(question), row }
}
