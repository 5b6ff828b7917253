import { gatherDurations, postTimeouts } from '../../schema/durations.ts'
import type { GatherLimits } from '../import/due-at.ts'

export interface BlockLimits extends GatherLimits {
  /** Longest wait of a block until it begins; then its posts are refused, of which nothing was sent. */
  readonly queueTimeoutMs: number
  readonly reports: number
  /** Bytes of rows. */
  readonly bytes: number
  /** Posts with which a block is due: each has a connection, of which the collector takes 4,000 (`listen.ts`). */
  readonly posts: number
  /** Bytes of rows that wait, beyond which posts are refused; those of a site beyond a quarter. */
  readonly waitingBytes: number
  /** Time after a failed insert for which the store is not ready, where none has succeeded since. */
  readonly failureMs: number
}

export const blockLimits: BlockLimits = {
  gatherMs: gatherDurations.postMs,
  longestGatherMs: gatherDurations.longestMs,
  queueTimeoutMs: postTimeouts.queueTimeoutMs,
  reports: 20_000,
  bytes: 8 * 1024 * 1024,
  posts: 1_500,
  waitingBytes: 64 * 1024 * 1024,
  failureMs: 10_000,
}
