import { gatherDurations } from '../../schema/durations.ts'

/**
 * @module Pace of insert blocks. A block costs ClickHouse a quarter second of processor time however few its reports, so
 * while reports keep coming, blocks are inserted during a tenth of the time.
 */

export interface BlockTimes {
  readonly startedAt: number
  readonly endedAt: number
}

/** Rest after a block, in multiples of the time that it took. */
const restFactor = 9

/** When a block whose first report came at `openedAt` is due. @param last the block before. */
export function dueAt(
  openedAt: number,
  last: BlockTimes,
  gatherMs: number,
  longestMs: number = gatherDurations.longestMs,
): number {
  const restedAt = last.endedAt + restFactor * (last.endedAt - last.startedAt)
  return Math.min(Math.max(openedAt + gatherMs, restedAt), openedAt + longestMs)
}
