/**
 * @module Pace of insert blocks. A block costs ClickHouse half a second of processor time even with few reports, mostly
 * for merges after the insert of 0.1 s. The pauses limit 10 posts per second to 15 % of a core.
 */

export interface BlockTimes {
  readonly startedAt: number
  readonly endedAt: number
}

/**
 * Pause after a block, in multiples of its duration; at most the longest wait. With 9 it costs 40 % of a core; with 35 a
 * post waits 2 s.
 */
const restFactor = 35

export interface GatherLimits {
  /** Wait of a report after a quiet moment until its block is due. */
  readonly gatherMs: number
  /** Longest wait of a report until its block is due, while more reports arrive. */
  readonly longestGatherMs: number
}

/** Due time of a block whose first report arrived at `openedAt`. @param last the previous block. */
export function dueAt(openedAt: number, last: BlockTimes, { gatherMs, longestGatherMs }: GatherLimits): number {
  const restedAt = last.endedAt + Math.min(restFactor * (last.endedAt - last.startedAt), longestGatherMs)
  return Math.min(Math.max(openedAt + gatherMs, restedAt), openedAt + longestGatherMs)
}
