import { z } from 'zod'
import type { Script } from '../../schema/replies/script.ts'
import { cursorTime } from '../pipeline/cursor.ts'

/** A script's place in its inventory's order. */
export interface InventoryPosition {
  /** Milliseconds since the Unix epoch; 0 for one that nothing ever saw. */
  readonly lastSeenAt: number
  readonly id: string
}

/** The place as a cursor carries it. */
export const inventoryPosition: z.ZodType<InventoryPosition> = z.object({
  lastSeenAt: cursorTime,
  id: z.guid(),
})

export const positionOfScript = ({ lastSeenAt, id }: Script): InventoryPosition => ({
  lastSeenAt: lastSeenAt === null ? 0 : Date.parse(lastSeenAt),
  id,
})

/** The last seen first, then by id (decisions, Scripts). */
export function compareInInventory(a: InventoryPosition, b: InventoryPosition): number {
  return b.lastSeenAt - a.lastSeenAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}
