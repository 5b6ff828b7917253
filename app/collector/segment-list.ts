/** @module Sealed segments of the log, oldest first, and the bytes of their sites. */

import type { ByteQuota } from './byte-quota.ts'
import type { SealedSegment } from './open-segment.ts'
import type { SegmentContent } from './segment-file.ts'

export interface Segment extends SealedSegment {
  /** First attempt, milliseconds since the epoch; undefined before it. */
  begunAt?: number | undefined
  /** Synced bytes of the file, if unsynced posts of this process that got a 503 follow them. */
  synced?: number | undefined
}

export type SegmentList = ReturnType<typeof createSegmentList>

export function createSegmentList(quota: ByteQuota) {
  const segments: Segment[] = []

  /** A segment of another process, or a part of one. */
  function addLeft(token: string, { records }: SegmentContent, begunAt: number | undefined): void {
    const bytesOfSites = new Map<string, number>()
    let [reports, bytes] = [0, 0]
    let openedAt = Number.POSITIVE_INFINITY
    for (const record of records) {
      const size = record.lines.length
      bytesOfSites.set(record.siteId, (bytesOfSites.get(record.siteId) ?? 0) + size)
      quota.add(record.siteId, size)
      reports += record.reports
      bytes += size
      openedAt = Math.min(openedAt, record.receivedAt)
    }
    segments.push({ token, openedAt, reports, bytes, bytesOfSites, begunAt })
  }

  /** Stops counting a segment that is stored or replaced. */
  function forget(segment: Segment): void {
    const index = segments.indexOf(segment)
    if (index < 0) return
    segments.splice(index, 1)
    for (const [siteId, bytes] of segment.bytesOfSites) quota.release(siteId, bytes)
  }

  return {
    all: (): readonly Segment[] => segments,
    /** A segment of the writer, whose bytes are in the quota. */
    addSealed: (segment: SealedSegment) => void segments.push({ ...segment, synced: segment.bytes }),
    addLeft,
    forget,
  }
}
