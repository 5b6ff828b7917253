/** @module Takes segments of the log when they are due, and hands each to the sender of its tenants' shard. */

import { gatherDurations } from '../../schema/durations.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { type BlockPace, createBlockPace, type GatherLimits } from '../import/block-pace.ts'
import { toInsertLine } from '../import/reports/insert-block.ts'
import type { NewValues } from '../import/reports/new-values.ts'
import type { BlockSender, Sent } from './block-sender.ts'
import type { CollectorLog } from './collector-log.ts'
import type { Segment } from './segment-list.ts'

export interface BlockLimits extends GatherLimits {
  /** Reports and bytes at which the open segment is due at once. */
  readonly reports: number
  readonly bytes: number
}

export const blockLimits: BlockLimits = {
  gatherMs: gatherDurations.postMs,
  longestGatherMs: gatherDurations.longestMs,
  reports: 20_000,
  bytes: 8 * 1024 * 1024,
}

export interface LogSenderOptions {
  readonly log: CollectorLog
  readonly isKnown?: NewValues['isKnown']
  readonly limits?: Partial<BlockLimits> | undefined
  /** Number of a tenant's shard; without it there is only one. */
  readonly shardOf?: ((tenantId: string) => number) | undefined
  /** @param onIdle called when its queue is empty, and with each block that is stored. */
  readonly openSender: (shard: number, events: { onIdle(): void; onSent(sent: Sent): void }) => BlockSender
}

export type LogSender = ReturnType<typeof createLogSender>

const mostTimerMs = 60_000

/** A sender for each shard, opened when it is needed. */
function createShardSenders(openSender: LogSenderOptions['openSender'], limits: GatherLimits, onIdle: () => void) {
  const senders = new Map<number, BlockSender>()
  const paces: BlockPace[] = []

  function open(shard: number): BlockSender {
    const pace = createBlockPace(limits)
    paces.push(pace)
    const sender = openSender(shard, { onIdle, onSent: ({ startedAt, endedAt }) => pace.rest(startedAt, endedAt) })
    senders.set(shard, sender)
    return sender
  }

  return {
    of: (shard: number): BlockSender => senders.get(shard) ?? open(shard),
    all: () => [...senders.values()],
    /** Due time of the segment whose first report arrived at `openedAt`, as it can have reports for each shard. */
    dueAt: (openedAt: number): number =>
      Math.max(openedAt + limits.gatherMs, ...paces.map((pace) => pace.dueAt(openedAt))),
  }
}

/** Hands each segment of the log once to the sender of its tenants' shard. */
function createRouter(
  log: CollectorLog,
  shardOf: LogSenderOptions['shardOf'],
  senderOf: (shard: number) => BlockSender,
) {
  const routed = new Set<Segment>()

  /** A segment whose tenants have several shards is split before its first attempt. */
  async function route(): Promise<void> {
    for (const segment of log.segments().filter((one) => !routed.has(one))) {
      let shard = 1
      if (shardOf) {
        const content = await log.load(segment)
        const shards = new Set(content.records.map(({ tenantId }) => shardOf(tenantId)))
        if (shards.size > 1 && segment.begunAt === undefined) {
          await log.split(segment, content, shardOf)
          return route()
        }
        shard = [...shards][0] ?? 1
      }
      routed.add(segment)
      senderOf(shard).add(segment)
    }
    for (const segment of routed) if (!log.segments().includes(segment)) routed.delete(segment)
  }

  return { route, hasUnrouted: () => log.segments().some((segment) => !routed.has(segment)) }
}

export function createLogSender({ log, isKnown = () => false, shardOf, openSender, ...options }: LogSenderOptions) {
  const limits = { ...blockLimits, ...options.limits }
  const senders = createShardSenders(openSender, limits, schedule)
  const { route, hasUnrouted } = createRouter(log, shardOf, senders.of)
  let timer: NodeJS.Timeout | undefined
  let routing: Promise<void> | undefined
  let isHurried = false
  let isClosed = false
  const idle: (() => void)[] = []

  function schedule(): void {
    if (isClosed) return
    clearTimeout(timer)
    routing ??= route()
      .catch(() => {
        // The folder cannot be read or written now.
        timer = setTimeout(schedule, 1_000)
      })
      .finally(() => {
        routing = undefined
        setTimer()
      })
  }

  function setTimer(): void {
    if (isClosed) return
    const all = senders.all()
    const open = log.open()
    if (!open && log.segments().length === 0 && all.every((sender) => sender.isPrepared())) {
      for (const resolve of idle.splice(0)) resolve()
    }
    if (hasUnrouted()) {
      schedule()
      return
    }
    if (!open || (all.length > 0 && !all.some((sender) => sender.isIdle()))) return
    const wait = senders.dueAt(open.openedTick) - performance.now()
    const isDue = wait <= 0 || isHurried || open.reports >= limits.reports || open.bytes >= limits.bytes
    clearTimeout(timer)
    if (isDue) void log.seal().then(schedule)
    else timer = setTimeout(setTimer, Math.min(wait, mostTimerMs))
  }

  return {
    /** Resolves when the reports of one post are in the log. Rejects with CollectorError(503). */
    async store(reports: readonly StoredReport[], tokenHash: string): Promise<void> {
      const [{ tenantId, siteId, receivedAt }] = reports as [StoredReport]
      const lines = Buffer.from(reports.map(toInsertLine).join(''))
      const record = {
        tenantId,
        siteId,
        tokenHash,
        receivedAt,
        reports: reports.length,
        isKnown: reports.every(isKnown),
      }
      await log.append({ ...record, lines }).finally(setTimer)
    },
    /** Sends the segments of earlier processes. */
    start(shards: number): void {
      for (let shard = 1; shard <= shards; shard++) senders.of(shard).suspect()
      schedule()
    },
    suspect(): void {
      for (const sender of senders.all()) sender.suspect()
    },
    /** Reason why blocks wait; undefined while ClickHouse keeps up. */
    failure: (): Error | undefined =>
      senders
        .all()
        .map((sender) => sender.failure())
        .find(Boolean),
    /** Makes every block due at once, before the program stops. */
    hurry(): void {
      isHurried = true
      setTimer()
    },
    /** Resolves when the log is empty. */
    drained(): Promise<void> {
      return new Promise((resolve) => {
        idle.push(resolve)
        setTimer()
      })
    },
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      await routing
      await Promise.all(senders.all().map((sender) => sender.close()))
    },
  }
}
