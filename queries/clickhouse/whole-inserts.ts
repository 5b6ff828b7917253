/** @module Inserts on a cluster while a replica is created: its tables exist before their views. */

import { Problem } from '../../schema/problems.ts'

/** Number of each replica's views; undefined if it does not respond or has no tables. */
export type ReplicaViews = readonly (number | undefined)[]

/**
 * Rejects with Problem(upstream_unavailable) if a replica without all views can have run the insert. Rollups then lack
 * rows until the caller's retry, which has the same deduplication token.
 */
export async function insertWhole(countViews: () => Promise<ReplicaViews>, insert: () => Promise<void>): Promise<void> {
  const before = await countViews()
  if (new Set(before.filter((count) => count !== undefined)).size > 1) throw unavailable()
  await insert()
  const after = await countViews()
  if (after.some((count, index) => count !== undefined && count !== before[index])) throw unavailable()
}

const unavailable = () =>
  new Problem('upstream_unavailable', undefined, {
    cause: new Error('A replica lacks views: its tables are still being created'),
  })
