/**
 * @module Pace of insert blocks. A block costs ClickHouse 0.4 s of processor time even with few reports, half of it for
 * merges. The pauses limit 10 posts per second to a tenth of a core.
 */

/**
 * Pause after a block, in multiples of its duration; at most the longest wait. With 9 the processor time is nearly three
 * times as much; with 35 a post waits 2 s.
 */
const restFactor = 35

/**
 * Number of longest pauses that blocks may owe, a minute of them: after a quiet time the first posts are stored at once,
 * for the same average cost.
 */
const owedPauses = 12

export interface GatherLimits {
  /** Wait of a report until its block is due, unless a minute of pauses is owed. */
  readonly gatherMs: number
  /** Longest wait of a report until its block is due. */
  readonly longestGatherMs: number
}

export type BlockPace = ReturnType<typeof createBlockPace>

/** Times are those of `performance.now()`. */
export function createBlockPace({ gatherMs, longestGatherMs }: GatherLimits) {
  const mostOwedMs = owedPauses * longestGatherMs
  /** End of the pauses of all blocks before, as a generic cell rate algorithm counts it. */
  let restedAt = 0
  return {
    /** Due time of a block whose first report arrived at `openedAt`. */
    dueAt: (openedAt: number): number =>
      Math.min(Math.max(openedAt + gatherMs, restedAt - mostOwedMs), openedAt + longestGatherMs),
    /** After a block was stored. */
    rest(startedAt: number, endedAt: number): void {
      const tookMs = endedAt - startedAt
      const pauseMs = Math.min(restFactor * tookMs, longestGatherMs)
      restedAt = Math.min(Math.max(restedAt, startedAt), startedAt + mostOwedMs) + tookMs + pauseMs
    },
  }
}
