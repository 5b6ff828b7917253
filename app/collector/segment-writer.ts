/**
 * @module Appends posts to the open segment and syncs them in groups: posts that arrive during a sync share the next. A
 * failed sync is never repeated on its file, because Linux then treats lost pages as clean.
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

export interface SegmentWriterOptions {
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

interface Waiting {
  readonly record: PostRecord
  readonly openedAt: number
  resolve(): void
  reject(error: unknown): void
}

export function createSegmentWriter({
  folder,
  limits,
  onSealed,
  makeToken,
  files = segmentFiles,
}: SegmentWriterOptions) {
  const pathOf = (token: string, state: 'open' | 'log') => join(folder, `${token}.${state}`)
  let current: OpenSegment | undefined
  const waiting: Waiting[] = []
  let waitingBytes = 0
  let running: Promise<void> | undefined
  let wantsSeal = false

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

  async function write(group: readonly Waiting[]): Promise<void> {
    const reports = group.reduce((sum, { record }) => sum + record.reports, 0)
    const size = group.reduce((sum, { record }) => sum + record.lines.length, 0)
    const isOver = current && (current.reports + reports > limits.reports || current.synced + size > limits.bytes)
    if (isOver) await seal()
    const segment = current ?? (await create(group[0]?.openedAt ?? Date.now()))
    const encoded = group.map(({ record }) => encodeRecord(record, segment.synced))
    let at = segment.synced
    for (let left = Buffer.concat(encoded); left.length > 0; ) {
      const { bytesWritten } = await segment.file.write(left, 0, left.length, at)
      at += bytesWritten
      left = left.subarray(bytesWritten)
    }
    await segment.file.datasync()
    segment.synced = at
    segment.reports += reports
    for (const { record } of group) {
      const bytes = segment.bytesOfSites.get(record.siteId) ?? 0
      segment.bytesOfSites.set(record.siteId, bytes + record.lines.length)
    }
  }

  /** Ends a segment whose write or sync failed, without the bytes that are not synced. */
  async function abandon(): Promise<void> {
    await current?.file.truncate(current.synced).catch(() => undefined)
    await seal()
  }

  /** A group fits one segment, unless it is a single post that does not. */
  function takeGroup(): Waiting[] {
    let [count, reports, bytes] = [0, 0, 0]
    for (const { record } of waiting) {
      reports += record.reports
      bytes += record.lines.length
      if (count > 0 && (reports > limits.reports || bytes > limits.bytes)) break
      count++
    }
    return waiting.splice(0, count)
  }

  async function run(): Promise<void> {
    while (waiting.length > 0 || wantsSeal) {
      if (waiting.length === 0 || (wantsSeal && (current?.reports ?? 0) > 0)) {
        wantsSeal = false
        await seal()
        continue
      }
      const group = takeGroup()
      try {
        await write(group)
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
      const { file } = current ?? {}
      current = undefined
      await file?.close()
    },
    /** The segment that posts are appended to, undefined before its first. */
    current: () =>
      current && current.reports > 0
        ? {
            openedAt: current.openedAt,
            openedTick: current.openedTick,
            reports: current.reports,
            bytes: current.synced,
          }
        : undefined,
    /** Bytes of rows that no sync has begun for. */
    waitingBytes: () => waitingBytes,
  }
}
