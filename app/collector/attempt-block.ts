/**
 * @module One attempt to store a segment as a block: its sites are read after the `started` step, and its bytes are
 * fixed before the insert.
 */

import type { LogImportSteps } from '../../clickhouse/log-import-steps.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { isBadValue } from '../../queries/clickhouse/error-codes.ts'
import { minuteMs, startedStepMs } from '../../schema/durations.ts'
import { isHeld } from '../import/hold.ts'
import type { ReportWriter } from '../import/reports/clickhouse-report-writer.ts'
import type { InsertedRow } from '../import/reports/inserted-rows.ts'
import type { NewValues } from '../import/reports/new-values.ts'
import type { CollectorLog } from './collector-log.ts'
import { type DropReason, type Gate, readGate } from './post-gate.ts'
import type { RestoreBlocks, Restored } from './restore-blocks.ts'
import { type PostRecord, type SegmentContent, tenantsOf } from './segment-file.ts'
import type { Segment } from './segment-list.ts'

export interface BlockAttemptOptions {
  readonly log: CollectorLog
  readonly database: Pick<Database, 'read'>
  readonly writer: ReportWriter
  readonly logSteps: LogImportSteps
  /** Token of this sender, unchanged after a restart. */
  readonly stepToken: string
  readonly restore: RestoreBlocks
  /** Without it new issues and scripts have no bound. */
  readonly newValues?: Pick<NewValues, 'bound'> | undefined
  /** True on a cluster: after a lost replica, a repeated insert can leave rollups that differ from the reports. */
  readonly recountsRepeated?: boolean
  /** Boot of ClickHouse's machine, if known. */
  readonly boot: () => string
  readonly onDropped?: (reason: DropReason | 'refused', reports: number) => void
  readonly onRestored?: (restored: Restored) => void
  /** Called with the token of a segment of rows that are set aside. */
  readonly onRefusal?: (token: string, reports: number) => void
}

/** Collectors are held, and nothing of the block was sent. */
export class Held extends Error {}

/** @param tokenMs time for which ClickHouse knows a token surely. */
export function createBlockAttempts(options: BlockAttemptOptions, tokenMs: number) {
  const { log, database, writer, logSteps, stepToken, restore, boot, onDropped, onRestored, onRefusal } = options
  /** Last `started` step of the segment in flight. */
  let started: { readonly segment: Segment; readonly at: number } | undefined

  /** False for a time in the future, which means that the clock was set back. */
  function isTrusted(begunAt: number): boolean {
    const age = Date.now() - begunAt
    return age < tokenMs && age > -minuteMs
  }

  async function logStarted(segment: Segment, tenantIds: readonly string[], signal: AbortSignal): Promise<void> {
    if (started?.segment === segment && performance.now() - started.at < startedStepMs) return
    await logSteps(tenantIds, stepToken, 'started', signal)
    started = { segment, at: performance.now() }
  }

  async function logDone(tenantIds: readonly string[], signal: AbortSignal): Promise<void> {
    await logSteps(tenantIds, stepToken, 'done', signal)
    started = undefined
  }

  async function attempt(segment: Segment, signal: AbortSignal): Promise<void> {
    const isRepeated = segment.begunAt !== undefined
    const content = await log.load(segment)
    const tenantIds = tenantsOf(content.records)
    await logStarted(segment, tenantIds, signal)
    const gate = await readGate(database, content.records, signal)
    if (segment.begunAt !== undefined && (!isTrusted(segment.begunAt) || gate.dropped.size > 0)) {
      return storeById(segment, content, signal)
    }
    if (segment.begunAt === undefined && (await isHeld(database, signal))) {
      await logDone(tenantIds, signal)
      throw new Held()
    }
    const records = segment.begunAt === undefined ? await begin(segment, content, gate, signal) : gate.wanted
    if (records.length > 0) {
      const lines = records.map((record) => record.lines)
      try {
        await writer.write(lines, segment.token, signal, content.columns)
      } catch (error) {
        if (!isBadValue(error)) throw error
        return storeById(segment, { ...content, records }, signal)
      }
      if (isRepeated && options.recountsRepeated) return storeById(segment, content, signal)
    }
    await logDone(tenantIds, signal)
    await log.store.finish(segment.token)
  }

  /** Fixes the bytes of a segment before its first attempt, and returns its records. */
  async function begin(
    segment: Segment,
    content: SegmentContent,
    { wanted, dropped }: Gate,
    signal: AbortSignal,
  ): Promise<readonly PostRecord[]> {
    const records = await boundValues(wanted, content.columns, signal)
    if (dropped.size > 0 || records !== wanted) await log.rewrite(segment, { ...content, records })
    for (const [reason, reports] of dropped) onDropped?.(reason, reports)
    const now = Date.now()
    await log.store.begin(segment.token, now)
    segment.begunAt = now
    return records
  }

  async function boundValues(
    records: readonly PostRecord[],
    columns: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly PostRecord[]> {
    const unknown = records.filter(({ isKnown }) => !isKnown).map(({ lines }) => lines)
    const bounded = await options.newValues?.bound((query) => database.read(query, { signal }), unknown, columns)
    if (!bounded || bounded.size === 0) return records
    return records.map((record) => ({ ...record, lines: bounded.get(record.lines) ?? record.lines }))
  }

  async function storeById(segment: Segment, content: SegmentContent, signal: AbortSignal): Promise<void> {
    const block = { token: segment.token, load: async () => content }
    const restored = await restore([block], stepToken, { salt: boot() }, signal)
    await setAside(restored)
    for (const [reason, reports] of restored.dropped) onDropped?.(reason, reports)
    onRestored?.(restored)
    started = undefined
    await log.store.finish(segment.token)
  }

  async function setAside({ refused }: Restored): Promise<void> {
    for (const [token, { columns, rows }] of refused) {
      await log.store.write(token, 'refused', { columns, records: rows.map(recordOf) })
      onDropped?.('refused', rows.length)
      onRefusal?.(token, rows.length)
    }
  }

  return { attempt, setAside }
}

const recordOf = ({ line, tenantId, siteId, receivedAt }: InsertedRow) => ({
  tenantId,
  siteId,
  receivedAt,
  tokenHash: '',
  reports: 1,
  lines: Buffer.from(`${line}\n`),
})
