/**
 * @module Stores blocks by the ids of their rows if their tokens cannot be trusted: after ten minutes, after a power
 * cut of ClickHouse's machine, and if a value or a deleted site changes the block. Rollups are counted again from the
 * reports.
 */

import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LogImportSteps } from '../../clickhouse/log-import-steps.ts'
import { recountDays } from '../../clickhouse/rollups/recount-days.ts'
import type { TenantRange } from '../../clickhouse/rollups/rollup-months.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { isBadValue } from '../../queries/clickhouse/error-codes.ts'
import { listStoredIds } from '../../queries/reports/stored-ids.ts'
import { chunksOf } from '../../queries/sql/rows.ts'
import { dayMs, startedStepMs } from '../../schema/durations.ts'
import { holdCollectors, isHeld } from '../import/hold.ts'
import type { ReportWriter } from '../import/reports/clickhouse-report-writer.ts'
import { type InsertedRow, readInsertedRows, toInsertBytes } from '../import/reports/inserted-rows.ts'
import { type DropReason, readGate } from './post-gate.ts'
import { type SegmentContent, tenantsOf } from './segment-file.ts'

export interface RefusedRows {
  readonly columns: readonly string[]
  readonly rows: readonly InsertedRow[]
}

export interface Restored {
  readonly blocks: number
  /** Reports that ClickHouse lacked. */
  readonly reports: number
  /** Days of a rollup that differed from the reports. */
  readonly correctedDays: number
  /** Rollups that could not be recounted; their days can differ. */
  readonly unsettled: readonly string[]
  /** Rows with a value that ClickHouse refuses, by the token of their block. */
  readonly refused: ReadonlyMap<string, RefusedRows>
  readonly dropped: ReadonlyMap<DropReason, number>
}

export interface RestoreBlocksOptions {
  readonly database: Pick<Database, 'read' | 'command' | 'insert' | 'killQuery'>
  /** Database of the shard's own tables once its replicas are in step; by default the same. */
  readonly local?: (signal: AbortSignal) => Promise<Pick<Database, 'read' | 'command'>>
  readonly writer: ReportWriter
  readonly logSteps: LogImportSteps
  /** Time in which a sent insert may still begin, for example after a freeze. */
  readonly lateMs?: number
}

export interface RestorableBlock {
  readonly token: string
  /** Undefined for bytes that cannot be read. */
  load(): Promise<SegmentContent | undefined>
}

export type RestoreBlocks = ReturnType<typeof createRestoreBlocks>

/** Ids per statement; they are part of its URL. */
const mostIds = 100
const pollMs = 250
const nothing = { corrected: 0, unsettled: [] as readonly string[], isRefused: false }

/** Inserts of rows that are looked up by id. */
function createRowInserts({ database, writer, lateMs = 5_000 }: RestoreBlocksOptions) {
  /** Ends an insert whose result is unknown. */
  async function endInsert(token: string, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + lateMs
    while (!(await database.killQuery(token, signal)) && performance.now() < deadline) {
      await sleep(pollMs, undefined, { signal })
    }
  }

  async function missingOf(rows: readonly InsertedRow[], signal: AbortSignal): Promise<InsertedRow[]> {
    const stored = await readStoredIds(database, rows, signal)
    return rows.filter(({ id }) => !stored.has(id))
  }

  /** Returns rows with a value that ClickHouse refuses, found by halving the block. */
  async function insert(
    rows: readonly InsertedRow[],
    token: string,
    columns: readonly string[],
    signal: AbortSignal,
  ): Promise<InsertedRow[]> {
    if (rows.length === 0) return []
    try {
      // The same token at each attempt, so that a retry waits for an insert in flight.
      await writer.write([toInsertBytes(rows)], hash('sha256', token, 'hex'), signal, columns)
      return []
    } catch (error) {
      if (!isBadValue(error)) throw error
      if (rows.length === 1) return [...rows]
    }
    const refused: InsertedRow[] = []
    for (const [index, half] of chunksOf(rows, Math.ceil(rows.length / 2)).entries()) {
      // A refused insert may be partly stored.
      refused.push(...(await insert(await missingOf(half, signal), `${token} ${index}`, columns, signal)))
    }
    return refused
  }

  return { endInsert, missingOf, insert }
}

export function createRestoreBlocks(options: RestoreBlocksOptions) {
  const { database, local = async () => database, logSteps } = options
  const { endInsert, missingOf, insert } = createRowInserts(options)

  /**
   * Restores blocks, then the rollups of their days, and logs their tenants as done.
   * @param salt of the new tokens: another for each start of ClickHouse's machine.
   * @param hasRestarted true where no earlier insert can run.
   */
  return async function restore(
    blocks: readonly RestorableBlock[],
    stepToken: string,
    { salt, hasRestarted = false }: { readonly salt: string; readonly hasRestarted?: boolean },
    signal: AbortSignal,
  ): Promise<Restored> {
    const tenantsOfDays = new Map<number, Set<string>>()
    /** Time of the last step of each tenant. */
    const started = new Map<string, number>()
    const refused = new Map<string, RefusedRows>()
    const dropped = new Map<DropReason, number>()
    let reports = 0
    // Others wait for a block in flight, and not for this.
    while (hasRestarted && (await isHeld(database, signal))) await sleep(pollMs, undefined, { signal })
    let last: RefusedRows | undefined
    for (const { token, load } of blocks) {
      const content = await load()
      if (!content) continue
      const isDue = (tenantId: string) => performance.now() - (started.get(tenantId) ?? -startedStepMs) >= startedStepMs
      const due = tenantsOf(content.records).filter(isDue)
      if (due.length > 0) await logSteps(due, stepToken, 'started', signal)
      for (const tenantId of due) started.set(tenantId, performance.now())
      if (!hasRestarted) await endInsert(token, signal)
      const gate = await readGate(database, content.records, signal)
      for (const [reason, count] of gate.dropped) dropped.set(reason, (dropped.get(reason) ?? 0) + count)
      const rows = readInsertedRows(Buffer.concat(gate.wanted.map(({ lines }) => lines)), content.columns)
      // Days of dropped rows too: a first attempt can have counted them.
      for (const { tenantId, receivedAt } of content.records) {
        const day = Math.floor(receivedAt / dayMs) * dayMs
        tenantsOfDays.set(day, (tenantsOfDays.get(day) ?? new Set()).add(tenantId))
      }
      last = { columns: content.columns, rows }
      const missing = await missingOf(rows, signal)
      const bad = await insert(missing, `${token} ${salt}`, content.columns, signal)
      if (bad.length > 0) refused.set(token, { columns: content.columns, rows: bad })
      reports += missing.length - bad.length
    }
    const counted = blocks.length > 0 ? await recount(tenantsOfDays, signal) : nothing
    if (started.size > 0) await logSteps([...started.keys()], stepToken, 'done', signal)
    const { corrected: correctedDays, unsettled } = counted
    // A view refuses a value that its table has accepted, so its rollups lack the block.
    const [only, ...others] = blocks
    if (counted.isRefused && only && others.length === 0 && last && last.rows.length > 0) refused.set(only.token, last)
    return { blocks: blocks.length, reports, correctedDays, unsettled, refused, dropped }
  }

  async function recount(tenantsOfDays: ReadonlyMap<number, ReadonlySet<string>>, signal: AbortSignal) {
    const groups = [...tenantsOfDays].flatMap(([day, tenantIds]) => groupsOf(day, [...tenantIds]))
    try {
      const count = async () => recountDays(await local(signal), groups, signal)
      return { ...nothing, ...(await holdCollectors(database, count, { signal })) }
    } catch (error) {
      if (!isBadValue(error)) throw error
      return { ...nothing, unsettled: [(error as Error).message], isRefused: true }
    }
  }
}

/** Ids in `reports` among the rows' tenants and times. */
export async function readStoredIds(
  database: Pick<Database, 'read'>,
  rows: readonly InsertedRow[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const times = rows.map(({ receivedAt }) => receivedAt).toSorted((a, b) => a - b)
  const [from = 0, to = 0] = [times[0], times.at(-1)]
  const stored = new Set<string>()
  for (const tenantIds of chunksOf(tenantsOf(rows), mostIds)) {
    const found = await database.read(listStoredIds(tenantIds, new Date(from), new Date(to)), { signal })
    for (const { id } of found) stored.add(id)
  }
  return stored
}

const groupsOf = (day: number, tenantIds: readonly string[]): TenantRange[] =>
  chunksOf(tenantIds, mostIds).map((chunk) => ({ from: new Date(day), to: new Date(day + dayMs), tenantIds: chunk }))
