/** @module Deletes a tenant's reports by a filter, beside running collectors, and logs what was deleted. */

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { untilAcknowledged } from '../../clickhouse/cluster/collector-blocks.ts'
import { logImportSteps } from '../../clickhouse/log-import-steps.ts'
import { purgeHiddenRows } from '../../clickhouse/rollups/removal-tables.ts'
import { removeReports } from '../../clickhouse/rollups/remove-reports.ts'
import { untilVersionsExpire } from '../../clickhouse/rollups/until-versions-expire.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { onlyRow } from '../../queries/sql/rows.ts'
import { type Sql, sql, texts, toClickHouseTime, uint64s, uuid } from '../../queries/sql/sql.ts'
import { findOldestWaiting } from '../../queries/tenants/activity.ts'
import { countReportsWhere, listDeletions, listPartIds, sumByType } from '../../queries/tenants/deletions.ts'
import { acknowledgedMs, reportedBehindMs } from '../../schema/durations.ts'
import { holdCollectors } from '../import/hold.ts'
import { withLease } from '../program/lease.ts'
import type { DeleteSettings } from './delete-tenant.ts'
import { insertNextRow } from './insert-next-row.ts'
import type { Databases } from './owned-rows.ts'

export interface ReportDeletion {
  readonly tenantId: string
  /** True of the reports. */
  readonly where: Sql
  /** End of their times of receipt. */
  readonly to: Date
  /** Names of the filters, which are logged. */
  readonly filters: readonly string[]
  readonly by: string
  /** The rows leave the disk before the deletion ends, and those of earlier deletions too. */
  readonly purges: boolean
}

/** Reports by type. */
export type TypeCounts = Readonly<Record<string, number>>

interface Options {
  readonly settings?: DeleteSettings
  log(line: string): void
  /** Called before each table. */
  onProgress(done: number, total: number, step: string): void
}

export const countReports = async (shards: readonly Database[], where: Sql): Promise<TypeCounts> =>
  sumByType((await Promise.all(shards.map((shard) => shard.read(countReportsWhere(where))))).flat())

/**
 * Returns the deleted reports when no response has them. First completes interrupted deletions of the tenant. Throws
 * while a collector has older reports in its log, or another command uses the tenant.
 */
export async function deleteReports(
  databases: Databases,
  deletion: ReportDeletion,
  { settings = {}, log, onProgress }: Options,
): Promise<TypeCounts> {
  const { writer, shards } = databases
  const { tenantId, where, filters, by } = deletion
  const onWait = (holder: string, kind: string): never => {
    throw new Error(`Stop the ${kind} by ${holder}, or wait for it, before you delete reports of tenant ${tenantId}`)
  }

  /** Removes what the condition is true of, or the rest of an interrupted deletion. */
  async function remove(id: string, condition: Sql): Promise<TypeCounts> {
    const logStep = (state: 'started' | 'done') =>
      logImportSteps(writer)([tenantId], `deletion of reports ${id}`, state)
    await logStep('started')
    const onStep = (done: number, total: number, table: string) => {
      onProgress(done, total, `removing from ${table}`)
      // Again before each table, because a step counts for an hour.
      return logStep('started')
    }
    const counts = await removeReports(shards(), { tenantId, id, where: condition, onStep })
    const [types, reports] = [Object.keys(counts), Object.values(counts)]
    await insertNextRow(writer, 'report_deletions', sql`tenant_id = ${uuid(tenantId)} AND id = ${uuid(id)}`, {
      finished_at: sql`now64(3)`,
      // After an interruption behind the last step the first count remains.
      counts: types.length > 0 ? sql`mapFromArrays(${texts(types)}, ${uint64s(reports.map(BigInt))})` : undefined,
    })
    await logStep('done')
    return counts
  }

  async function run(): Promise<TypeCounts> {
    // Reports of a block in flight would be counted twice.
    const waiting = shards().map((database) => ({ database }))
    await untilAcknowledged(waiting, tenantId, acknowledgedMs, () => log('Waiting for blocks of the collector'))
    for (const { id, startedAt, finishedAt } of await writer.read(listDeletions(tenantId))) {
      if (finishedAt !== null) continue
      log(`Completing the deletion of ${startedAt}, which was interrupted`)
      // Nothing was deleted if it has no copy of its reports yet.
      await remove(id, sql`false`)
    }
    const counts = await countReports(shards(), where)
    if (Object.keys(counts).length === 0) return counts
    const partIds = (await Promise.all(shards().map((shard) => shard.read(listPartIds(tenantId, where))))).flat()
    const id = randomUUID()
    const row = { id, filters, deleted_by: by, counts, part_ids: partIds.map((part) => part.id) }
    await insertRows(writer, 'report_deletions', [
      { ...row, tenant_id: tenantId, started_at: toClickHouseTime(new Date()), finished_at: null },
    ])
    return remove(id, where)
  }

  await untilSent(writer, Math.min(deletion.to.getTime(), Date.now()), { settings, log })
  const lease = { database: writer, leaseId: tenantId, kind: 'report deletion', onWait } as const
  const counts = await withLease(lease, () => holdCollectors(writer, run, { log }))
  if (deletion.purges) for (const shard of shards()) await purgeHiddenRows(shard)
  await untilVersionsExpire()
  return counts
}

const [pollMs, mostPolls] = [1_000, 60]

/** Waits until no collector has a report from before `to`. Throws after a minute, with the collector's host. */
async function untilSent(
  writer: Database,
  to: number,
  { settings: { untilForgotten = sleep } = {}, log }: Pick<Options, 'settings' | 'log'>,
): Promise<void> {
  const restMs = to + reportedBehindMs - Date.now()
  if (restMs > 0) {
    log(`Waiting ${Math.ceil(restMs / 1_000)} s for reports in the logs of collectors`)
    await untilForgotten(restMs)
  }
  for (let polls = 0; ; polls++) {
    const { oldestAt, hosts } = onlyRow(await writer.read(findOldestWaiting))
    if (oldestAt === null || Date.parse(oldestAt) >= to) return
    if (polls === 0) log(`Waiting for the collector on ${hosts.join(', ')}`)
    if (polls === mostPolls) {
      throw new Error(
        `Reports from ${oldestAt} on wait in the log of the collector on ${hosts.join(', ')}: fix what log.waitsFor in its /readyz names and run the command again, or use --to ${oldestAt}`,
      )
    }
    await untilForgotten(pollMs)
  }
}
