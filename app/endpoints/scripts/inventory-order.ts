import { latestFirst, timePosition } from '../../pipeline/time-position.ts'

/** A script's place in its inventory's order; one that nothing ever saw stands last. */
export const inventoryPosition = timePosition('lastSeenAt')

/** The last seen first, then by id (decisions, Scripts). */
export const compareInInventory = latestFirst('lastSeenAt')
