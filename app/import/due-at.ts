/**
 * @module Pace of insert blocks. A block costs ClickHouse half a second of processor time however few its reports, most of it
 * merges after the insert of 0.1 s. Blocks rest for so long that at 10 posts a second they take 15 % of a core.
 */

export interface BlockTimes {
  readonly startedAt: number
  readonly endedAt: number
}

/** Rest after a block, in multiples of the time that it took. With 9 it is 40 % of a core, with 35 a post waits 2 s. */
const restFactor = 35

export interface GatherLimits {
  /** Wait of a report after a quiet moment until its block is due. */
  readonly gatherMs: number
  /** Longest wait of a report until its block is due, while reports keep coming. */
  readonly longestGatherMs: number
}

/** When a block whose first report came at `openedAt` is due. @param last the block before. */
export function dueAt(openedAt: number, last: BlockTimes, { gatherMs, longestGatherMs }: GatherLimits): number {
  const restedAt = last.endedAt + restFactor * (last.endedAt - last.startedAt)
  return Math.min(Math.max(openedAt + gatherMs, restedAt), openedAt + longestGatherMs)
}
