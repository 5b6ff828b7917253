/** @module The collector's log: synced posts on disk, in segments that the sender reads, within limits of bytes. */

import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { groupBy } from '../../schema/rules/group-by.ts'
import { syncFolder } from '../program/write-synced.ts'
import { createByteQuota } from './byte-quota.ts'
import { overloaded, unavailable } from './collector-error.ts'
import { createRoom } from './disk-room.ts'
import { type PostRecord, readSegment, type SegmentContent } from './segment-file.ts'
import { isWaiting, listSegments, makeToken, type SegmentFile, segmentFolder } from './segment-folder.ts'
import { createSegmentWriter, type SealedSegment, type segmentFiles } from './segment-writer.ts'

export interface Segment extends SealedSegment {
  /** First attempt, milliseconds since the epoch; undefined before it. */
  begunAt?: number | undefined
  /** Synced bytes of the file, if unsynced posts of this process that got a 503 follow them. */
  synced?: number | undefined
}

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

const partOf = (token: string, shard: number) => `${token}-s${shard}`
const wholeOf = (token: string) => (/-s\d+$/.test(token) ? token.replace(/-s\d+$/, '') : '')

export async function openCollectorLog(options: CollectorLogOptions) {
  const { folder, onFailure = () => {}, onDamage = () => {}, files } = options
  const limits = { ...logLimits, ...options.limits }
  await mkdir(folder, { recursive: true })
  const store = segmentFolder(folder)
  const room = createRoom(folder, () => store.removeSent(60_000))
  const quota = createByteQuota(limits.logBytes)
  /** Oldest first. */
  const segments: Segment[] = []
  let failure: Error | undefined

  const isFull = () => quota.total() > limits.logBytes || !room.hasRoom()
  const onSealed = (segment: SealedSegment) => void segments.push({ ...segment, synced: segment.bytes })
  const writer = createSegmentWriter({ folder, limits, makeToken, onSealed, ...(files && { files }) })

  function fail(error: unknown): void {
    if (!failure) onFailure(error as Error)
    failure = error as Error
  }

  function recover(): void {
    if (failure) onFailure(undefined)
    failure = undefined
  }

  /** Sets aside damaged bytes, and returns the rest to be sent. */
  async function mend(
    { token, state }: Pick<SegmentFile, 'token' | 'state'>,
    bytes: Buffer,
  ): Promise<SegmentContent | undefined> {
    const content = readSegment(bytes)
    if (!content) {
      // Without a complete head no post of an open segment was synced.
      if (state !== 'open') {
        onDamage(token, bytes.length)
        await store.writeBytes(token, 'unreadable', bytes)
      }
      await store.remove(token, state)
      return undefined
    }
    if (content.damage.length > 0) {
      const isTorn = state === 'open' && content.isTorn
      if (!isTorn) {
        onDamage(token, content.damage.length)
        await store.writeBytes(token, 'unreadable', content.damage)
      }
      await store.write(token, state, content)
      // Earlier attempts had other rows, so it is looked up by id, also by a later process.
      if (state === 'begun') await utimes(store.pathOf(token, state), 0, 0)
    }
    return content
  }

  /** Segments of earlier processes, which are not appended to. */
  async function takeLeft(): Promise<void> {
    for (const name of await readdir(folder)) if (name.endsWith('.new')) await rm(join(folder, name), { force: true })
    const files = (await listSegments(folder)).filter(isWaiting)
    const tokens = new Set(files.map(({ token }) => token))
    for (const file of files) {
      const { token, state, changedAt } = file
      // A part of a segment whose split was interrupted.
      if (tokens.has(wholeOf(token))) {
        await store.remove(token, state)
        continue
      }
      const bytes = await store.read(token)
      const content = await mend(file, bytes)
      if (!content) continue
      if (content.records.length === 0) {
        await store.remove(token, state)
        continue
      }
      if (state === 'open') await store.seal(token)
      const begunAt = content.damage.length > 0 ? 0 : changedAt
      addLeft(token, content, state === 'begun' ? begunAt : undefined)
    }
  }

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

  /** Ends the account of a segment that is stored or replaced. */
  function forget(segment: Segment): void {
    const index = segments.indexOf(segment)
    if (index < 0) return
    segments.splice(index, 1)
    for (const [siteId, bytes] of segment.bytesOfSites) quota.release(siteId, bytes)
  }

  await takeLeft()
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
    segments: (): readonly Segment[] => segments,
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
    oldestAt: (): number | undefined => segments[0]?.openedAt ?? writer.current()?.openedAt,
    reports: (): number => segments.reduce((sum, { reports }) => sum + reports, writer.current()?.reports ?? 0),
    /** True if this machine can accept posts; tested again if the last post failed. */
    async isWritable(): Promise<boolean> {
      await room.check().catch(fail)
      if (failure || !isFull()) await probe().then(recover, fail)
      return !failure && !isFull()
    },
  }

  /** Writes and removes a byte in a separate file; after a failure, file and name are synced. */
  async function probe(): Promise<void> {
    if (failure) await store.writeBytes('probe', 'open', Buffer.from('0'))
    else await writeFile(join(folder, 'probe.new'), '0')
    await store.remove('probe', 'open')
    await rm(join(folder, 'probe.new'), { force: true })
  }
}
