/**
 * @module The segment that posts are appended to. A failed sync is never repeated on its file, because Linux then treats
 * lost pages as clean.
 */

import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { blockColumns } from '../import/reports/insert-block.ts'
import { syncFolder } from '../program/write-synced.ts'
import { encodeHead, encodeRecord, type PostRecord } from './segment-file.ts'

export interface SealedSegment {
  readonly token: string
  /** Milliseconds since the epoch. */
  readonly openedAt: number
  readonly reports: number
  readonly bytes: number
  /** Bytes of rows. */
  readonly bytesOfSites: ReadonlyMap<string, number>
}

/** A test replaces them. */
export const segmentFiles = { open, rename, rm, syncFolder }

export interface OpenSegmentOptions {
  readonly folder: string
  /** A segment ends before the post that would exceed them. */
  readonly limits: { readonly reports: number; readonly bytes: number }
  /** Called with each segment that ends, whose rows are synced. */
  readonly onSealed: (segment: SealedSegment) => void
  readonly makeToken: () => string
  readonly files?: typeof segmentFiles
}

interface OpenSegment {
  readonly token: string
  readonly file: FileHandle
  readonly openedAt: number
  /** Time of a monotonic clock. */
  readonly openedTick: number
  readonly bytesOfSites: Map<string, number>
  reports: number
  /** Bytes that are synced. */
  synced: number
}

export function createOpenSegment({ folder, limits, onSealed, makeToken, files = segmentFiles }: OpenSegmentOptions) {
  const pathOf = (token: string, state: 'open' | 'log') => join(folder, `${token}.${state}`)
  let current: OpenSegment | undefined

  async function create(openedAt: number): Promise<OpenSegment> {
    const token = makeToken()
    const file = await files.open(pathOf(token, 'open'), 'wx', 0o600)
    const openedTick = performance.now() - Math.max(0, Date.now() - openedAt)
    const created = { token, file, openedAt, openedTick, bytesOfSites: new Map(), reports: 0, synced: 0 }
    current = created
    const bytes = encodeHead(blockColumns)
    await file.write(bytes, 0, bytes.length, 0)
    await file.datasync()
    await files.syncFolder(folder)
    created.synced = bytes.length
    return created
  }

  /** Ends the open segment; without a post it is removed. */
  async function seal(): Promise<void> {
    if (!current) return
    const { token, file, openedAt, reports, synced: bytes, bytesOfSites } = current
    await file.close().catch(() => undefined)
    await (reports === 0
      ? files.rm(pathOf(token, 'open'), { force: true })
      : files.rename(pathOf(token, 'open'), pathOf(token, 'log'))
    ).catch(() => undefined)
    // At once, so that its reports are counted at each moment.
    current = undefined
    if (reports > 0) onSealed({ token, openedAt, reports, bytes, bytesOfSites })
  }

  /** Synced when it resolves. @param openedAt of a new segment. */
  async function write(records: readonly PostRecord[], openedAt: number): Promise<void> {
    const reports = records.reduce((sum, record) => sum + record.reports, 0)
    const size = records.reduce((sum, { lines }) => sum + lines.length, 0)
    const isOver = current && (current.reports + reports > limits.reports || current.synced + size > limits.bytes)
    if (isOver) await seal()
    const segment = current ?? (await create(openedAt))
    const encoded = records.map((record) => encodeRecord(record, segment.synced))
    const end = await writeAll(segment.file, Buffer.concat(encoded), segment.synced)
    await segment.file.datasync()
    segment.synced = end
    segment.reports += reports
    for (const { siteId, lines } of records) {
      segment.bytesOfSites.set(siteId, (segment.bytesOfSites.get(siteId) ?? 0) + lines.length)
    }
  }

  return {
    /** Undefined between two segments. */
    current: () => current,
    seal,
    write,
    /** Ends a segment whose write or sync failed, without the bytes that are not synced. */
    async abandon(): Promise<void> {
      await current?.file.truncate(current.synced).catch(() => undefined)
      await seal()
    },
    /** Closes the file, which a later process sends. */
    async close(): Promise<void> {
      const { file } = current ?? {}
      current = undefined
      await file?.close()
    },
  }
}

/** Returns the offset behind the bytes. */
async function writeAll(file: FileHandle, bytes: Buffer, start: number): Promise<number> {
  let at = start
  for (let left = bytes; left.length > 0; ) {
    const { bytesWritten } = await file.write(left, 0, left.length, at)
    at += bytesWritten
    left = left.subarray(bytesWritten)
  }
  return at
}
