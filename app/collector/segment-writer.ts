/** @module Appends posts to the open segment and syncs them in groups: posts that arrive during a sync share the next. */

import { createOpenSegment, type OpenSegmentOptions } from './open-segment.ts'
import type { PostRecord } from './segment-file.ts'

interface Waiting {
  readonly record: PostRecord
  readonly openedAt: number
  resolve(): void
  reject(error: unknown): void
}

/** Takes the first posts: they fit one segment, unless it is a single post that does not. */
function takeGroup(waiting: Waiting[], limits: OpenSegmentOptions['limits']): Waiting[] {
  let [count, reports, bytes] = [0, 0, 0]
  for (const { record } of waiting) {
    reports += record.reports
    bytes += record.lines.length
    if (count > 0 && (reports > limits.reports || bytes > limits.bytes)) break
    count++
  }
  return waiting.splice(0, count)
}

export function createSegmentWriter(options: OpenSegmentOptions) {
  const { current, seal, write, abandon, close } = createOpenSegment(options)
  const waiting: Waiting[] = []
  let waitingBytes = 0
  let running: Promise<void> | undefined
  let wantsSeal = false

  async function run(): Promise<void> {
    while (waiting.length > 0 || wantsSeal) {
      if (waiting.length === 0 || (wantsSeal && (current()?.reports ?? 0) > 0)) {
        wantsSeal = false
        await seal()
        continue
      }
      const group = takeGroup(waiting, options.limits)
      try {
        await write(
          group.map(({ record }) => record),
          group[0]?.openedAt ?? Date.now(),
        )
        for (const { resolve } of group) resolve()
      } catch (error) {
        await abandon()
        for (const { reject } of group) reject(error)
      }
      for (const { record } of group) waitingBytes -= record.lines.length
    }
    running = undefined
  }

  function start(): Promise<void> {
    // Posts of one turn of the event loop share a sync.
    running ??= new Promise((resolve) => setImmediate(resolve)).then(run)
    return running
  }

  return {
    /** Resolves when the record is on the disk, with its name. */
    append(record: PostRecord): Promise<void> {
      return new Promise((resolve, reject) => {
        waiting.push({ record, openedAt: Date.now(), resolve, reject })
        waitingBytes += record.lines.length
        void start()
      })
    },
    /** Ends the open segment when it is synced. */
    async seal(): Promise<void> {
      wantsSeal = true
      await start()
    },
    /** Closes the file of the open segment, which a later process sends. */
    async close(): Promise<void> {
      await running
      await close()
    },
    /** The segment that posts are appended to, undefined before its first. */
    current() {
      const open = current()
      if (!open || open.reports === 0) return undefined
      const { openedAt, openedTick, reports, synced: bytes } = open
      return { openedAt, openedTick, reports, bytes }
    },
    /** Bytes of rows that no sync has begun for. */
    waitingBytes: () => waitingBytes,
  }
}
