/**
 * @module Restores stored blocks after a power cut: ClickHouse syncs nothing, so each table can lose its last half minute,
 * and the deduplication tokens of rows that it still has. So missing reports are found by id, and rollups are recounted.
 */

import { hash } from 'node:crypto'
import type { LogImportSteps } from '../../clickhouse/log-import-steps.ts'
import { isSameBoot, type ReadBoot } from '../../clickhouse/read-boot.ts'
import { recountDays } from '../../clickhouse/rollups/recount-days.ts'
import type { TenantRange } from '../../clickhouse/rollups/rollup-months.ts'
import { untilVersionsExpire } from '../../clickhouse/rollups/until-versions-expire.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { isRefusal } from '../../queries/clickhouse/error-codes.ts'
import { listStoredIds } from '../../queries/reports/list-stored-ids.ts'
import { chunksOf } from '../../queries/sql/chunks.ts'
import { dayMs } from '../../schema/durations.ts'
import type { ReportWriter } from '../import/reports/clickhouse-report-writer.ts'
import { type InsertedRow, readInsertedRows, toInsertBytes } from '../import/reports/inserted-rows.ts'
import { withoutDeletedSites } from '../import/reports/without-deleted-sites.ts'
import type { SettleInsert } from './settle-insert.ts'
import type { Spool, SpoolEntry, SpooledBlock } from './spool.ts'

export interface Restored {
  readonly blocks: number
  /** Reports that ClickHouse had lost. */
  readonly reports: number
  /** Days of a rollup that differed from the reports. */
  readonly correctedDays: number
  /** Rollups that no attempt could recount without an insert beside it; their days can differ. */
  readonly unsettled: readonly string[]
  readonly milliseconds: number
}

export interface RestoreBlocksOptions {
  readonly database: Pick<Database, 'read' | 'command'>
  readonly spool: Spool
  readonly writer: ReportWriter
  readonly logSteps: LogImportSteps
  readonly settle: SettleInsert
  readonly readBoot: ReadBoot
  readonly onRestore?: (restored: Restored | 'begins') => void
}

export type RestoreBlocks = ReturnType<typeof createRestoreBlocks>

/** Ids in one statement, as they are part of its URL. */
const mostIds = 100

export function createRestoreBlocks(options: RestoreBlocksOptions) {
  const { database, spool, writer, logSteps, settle, readBoot, onRestore = () => {} } = options

  /** The boot after which blocks must be restored; undefined if none must. The first boot is only saved. */
  async function newBoot(signal: AbortSignal): Promise<string | undefined> {
    const [boot, last] = [await readBoot(signal), await spool.lastBoot()]
    if (boot === undefined || (last !== undefined && isSameBoot(boot, last))) return undefined
    if (last !== undefined) return boot
    await spool.saveBoot(boot)
    return undefined
  }

  /**
   * Restores stored blocks and those not sent yet. The boot is saved last, so an interrupted restore starts over.
   * @param setAside for blocks that cannot be read, or that ClickHouse refuses.
   */
  async function restore(
    boot: string,
    stepToken: string,
    setAside: {
      readonly unreadable: (entry: SpoolEntry) => Promise<void>
      readonly refused: (block: SpooledBlock, entry: SpoolEntry, error: Error) => Promise<void>
    },
    signal: AbortSignal,
  ): Promise<void> {
    onRestore('begins')
    const startedAt = performance.now()
    const tenantsOfDays = new Map<number, Set<string>>()
    /** Tenants by step token, as an earlier collector's last step can be gone too. */
    const started = new Map<string, Set<string>>()
    let [blocks, reports] = [0, 0]

    async function restoreRows(block: SpooledBlock, isWanted: boolean): Promise<void> {
      const isNew = (tenantId: string) => !started.get(stepToken)?.has(tenantId)
      if (block.tenantIds.some(isNew)) await logSteps(block.tenantIds, stepToken, 'started', signal)
      for (const token of [stepToken, block.stepToken]) {
        started.set(token, new Set([...(started.get(token) ?? []), ...block.tenantIds]))
      }
      const rows = readInsertedRows(block.rows)
      for (const { tenantId, receivedAt } of rows) {
        const day = Math.floor(receivedAt / dayMs) * dayMs
        tenantsOfDays.set(day, (tenantsOfDays.get(day) ?? new Set()).add(tenantId))
      }
      if (!isWanted || rows.length === 0) return
      blocks++
      const missing = await missingOf(rows, signal)
      if (missing.length === 0) return
      // One token per block and boot: a repeated attempt stores nothing twice.
      const token = hash('sha256', `${block.token} ${boot}`, 'hex')
      await writer.write([toInsertBytes(missing)], token, signal)
      reports += missing.length
    }

    const entries = await spool.list()
    const withdrawn: SpoolEntry[] = []
    for (const token of await spool.listStored()) {
      const block = await spool.loadStored(token)
      if (block) await restoreRows(block, true)
    }
    for (const entry of entries) {
      const block = await spool.load(entry)
      if (!block) {
        await setAside.unreadable(entry)
        continue
      }
      const isWanted = !entry.isWithdrawn || (await settle(block, signal))
      if (!isWanted) withdrawn.push(entry)
      try {
        await restoreRows(block, isWanted)
      } catch (error) {
        if (!isRefusal(error)) throw error
        await setAside.refused(block, entry, error as Error)
        // It can have logged this token as done.
        await logSteps(block.tenantIds, stepToken, 'started', signal)
        continue
      }
      if (isWanted) await spool.moveToStored(entry)
    }
    const groups = [...tenantsOfDays].flatMap(([day, tenantIds]) => groupsOf(day, [...tenantIds]))
    const { corrected, unsettled } = await recountDays(database, groups, signal)
    for (const [token, tenantIds] of started) {
      for (const chunk of chunksOf([...tenantIds], mostIds)) await logSteps(chunk, token, 'done', signal)
    }
    // No response of before is in a cache once the restore is called done.
    if (started.size > 0) await untilVersionsExpire(signal)
    for (const { token } of withdrawn) await spool.remove(token)
    await spool.saveBoot(boot)
    onRestore({
      blocks,
      reports,
      correctedDays: corrected,
      unsettled,
      milliseconds: Math.round(performance.now() - startedAt),
    })
  }

  /** Rows that `reports` lacks, without those of deleted sites. */
  async function missingOf(rows: readonly InsertedRow[], signal: AbortSignal): Promise<InsertedRow[]> {
    const times = rows.map(({ receivedAt }) => receivedAt).toSorted((a, b) => a - b)
    const [from, to] = [new Date(times[0] as number), new Date(times.at(-1) as number)]
    const stored = new Set<string>()
    for (const tenantIds of chunksOf([...new Set(rows.map(({ tenantId }) => tenantId))], mostIds)) {
      for (const { id } of await database.read(listStoredIds(tenantIds, from, to), { signal })) stored.add(id)
    }
    const missing = rows.filter(({ id }) => !stored.has(id))
    return withoutDeletedSites(database, missing, signal)
  }

  return { newBoot, restore }
}

const groupsOf = (day: number, tenantIds: readonly string[]): TenantRange[] =>
  chunksOf(tenantIds, mostIds).map((chunk) => ({
    from: new Date(day),
    to: new Date(day + dayMs),
    tenantIds: chunk,
  }))
