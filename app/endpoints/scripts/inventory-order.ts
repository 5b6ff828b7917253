import { latestFirst, timePosition } from '../../pipeline/time-position.ts'

/** The last seen first, then by id; a script never seen comes last. */

export const inventoryPosition = timePosition('lastSeenAt')

export const compareInInventory = latestFirst('lastSeenAt')
