/** @module The collector's log: synced posts on disk, in segments that the sender reads, within limits of bytes. */

import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { groupBy } from '../../schema/rules/group-by.ts'
import { syncFolder } from '../program/write-synced.ts'
import { createByteQuota } from './byte-quota.ts'
import { overloaded, unavailable } from './collector-error.ts'
import { createRoom } from './disk-room.ts'
import { createMender } from './mend-segments.ts'
import type { segmentFiles } from './open-segment.ts'
import { type PostRecord, readSegment, type SegmentContent } from './segment-file.ts'
import { makeToken, partOf, type SegmentFolder, segmentFolder } from './segment-folder.ts'
import { createSegmentList, type Segment } from './segment-list.ts'
import { createSegmentWriter } from './segment-writer.ts'

export interface LogLimits {
  /** Limit of a segment, whose insert is one block. */
  readonly reports: number
  readonly bytes: number
  /** Limit of the whole log; a quarter of it for one site. */
  readonly logBytes: number
  /** Limit of rows in memory without a running sync. */
  readonly waitingBytes: number
}

const logLimits: LogLimits = {
  reports: 65_535,
  bytes: 48 * 1024 * 1024,
  logBytes: 4 * 1024 ** 3,
  waitingBytes: 64 * 1024 * 1024,
}

export interface CollectorLogOptions {
  readonly folder: string
  readonly limits?: Partial<LogLimits>
  readonly onFailure?: (error: Error | undefined) => void
  /** Called with the token of a segment with bytes that cannot be read. */
  readonly onDamage?: (token: string, bytes: number) => void
  readonly files?: typeof segmentFiles | undefined
}

export type CollectorLog = Awaited<ReturnType<typeof openCollectorLog>>

/** Reports the first failure of writes, and the first success after it. */
function createFailure(onFailure: (error: Error | undefined) => void) {
  let failure: Error | undefined
  return {
    hasFailed: () => failure !== undefined,
    fail(error: unknown): void {
      if (!failure) onFailure(error as Error)
      failure = error as Error
    },
    recover(): void {
      if (failure) onFailure(undefined)
      failure = undefined
    },
  }
}

export async function openCollectorLog(options: CollectorLogOptions) {
  const { folder, onFailure = () => {}, onDamage = () => {}, files } = options
  const limits = { ...logLimits, ...options.limits }
  await mkdir(folder, { recursive: true })
  const store = segmentFolder(folder)
  const room = createRoom(folder, () => store.removeSent(60_000))
  const quota = createByteQuota(limits.logBytes)
  const { all: segments, addSealed, addLeft, forget } = createSegmentList(quota)
  const { hasFailed, fail, recover } = createFailure(onFailure)
  const { mend, takeLeft } = createMender(store, onDamage)

  const isFull = () => quota.total() > limits.logBytes || !room.hasRoom()
  const writer = createSegmentWriter({ folder, limits, makeToken, onSealed: addSealed, ...(files && { files }) })

  await takeLeft(addLeft)
  return {
    store,
    /** Resolves when the post is synced. Rejects with CollectorError(503). */
    async append(record: PostRecord): Promise<void> {
      room.check().catch(fail)
      if (isFull() || quota.isFull(record.siteId) || writer.waitingBytes() > limits.waitingBytes) throw overloaded()
      quota.add(record.siteId, record.lines.length)
      try {
        await writer.append(record)
        recover()
      } catch (error) {
        quota.release(record.siteId, record.lines.length)
        fail(error)
        throw unavailable(error)
      }
    },
    add: addLeft,
    /** Replaces a segment by one for each shard of its tenants. */
    async split(segment: Segment, content: SegmentContent, shardOf: (tenantId: string) => number): Promise<void> {
      const parts = groupBy(content.records, ({ tenantId }) => shardOf(tenantId))
      for (const [shard, records] of parts) {
        await store.write(partOf(segment.token, shard), 'log', { ...content, records })
      }
      for (const state of ['log', 'open'] as const) await store.remove(segment.token, state)
      await syncFolder(folder)
      forget(segment)
      for (const [shard, records] of parts) addLeft(partOf(segment.token, shard), { ...content, records }, undefined)
    },
    seal: writer.seal,
    close: writer.close,
    open: writer.current,
    /** Sealed ones, oldest first. */
    segments,
    /** The readable part of a segment; damage is set aside. */
    async load(segment: Segment): Promise<SegmentContent> {
      const bytes = (await store.read(segment.token)).subarray(0, segment.synced)
      const content = readSegment(bytes)
      if (content && content.damage.length === 0) return content
      const state = segment.begunAt === undefined ? 'log' : 'begun'
      segment.synced = undefined
      if (segment.begunAt !== undefined) segment.begunAt = 0
      return (
        (await mend({ token: segment.token, state }, bytes)) ?? {
          columns: [],
          records: [],
          damage: bytes,
          isTorn: false,
        }
      )
    },
    /** Allowed only before the first attempt. */
    async rewrite(segment: Segment, content: SegmentContent): Promise<void> {
      await store.write(segment.token, 'log', content)
      segment.synced = undefined
    },
    forget,
    bytes: quota.total,
    /** Milliseconds since the epoch, undefined for an empty log. */
    oldestAt: (): number | undefined => segments()[0]?.openedAt ?? writer.current()?.openedAt,
    reports: (): number => segments().reduce((sum, { reports }) => sum + reports, writer.current()?.reports ?? 0),
    /** True if this machine can accept posts; tested again if the last post failed. */
    async isWritable(): Promise<boolean> {
      await room.check().catch(fail)
      if (hasFailed() || !isFull()) await probe(store, hasFailed()).then(recover, fail)
      return !hasFailed() && !isFull()
    },
  }
}

/** Writes and removes a byte in a separate file; after a failure, file and name are synced. */
async function probe({ folder, writeBytes, remove }: SegmentFolder, hasFailed: boolean): Promise<void> {
  if (hasFailed) await writeBytes('probe', 'open', Buffer.from('0'))
  else await writeFile(join(folder, 'probe.new'), '0')
  await remove('probe', 'open')
  await rm(join(folder, 'probe.new'), { force: true })
}
