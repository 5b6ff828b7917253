/**
 * @module Moves a tenant to another shard: copy, compare, switch, remove. After each step the tenant is complete on its
 * shard, so an interrupted run can be repeated.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { untilAcknowledged } from '../../clickhouse/cluster/collector-blocks.ts'
import type { CopiedTable } from '../../clickhouse/cluster/copied-tables.ts'
import { type Copy, copyAgain, copyTenant, findDifference } from '../../clickhouse/cluster/copy-tenant.ts'
import type { Cluster, Shard } from '../../clickhouse/cluster/open-cluster.ts'
import { ofShard } from '../../clickhouse/cluster/shared-ddl.ts'
import { assignShard, requireNodes, requireShard, settleShard } from '../../clickhouse/cluster/tenant-shards.ts'
import { logImportSteps } from '../../clickhouse/log-import-steps.ts'
import { checkRollups } from '../../clickhouse/rollups/check-rollups.ts'
import { isCopy } from '../../clickhouse/rollups/remove-reports.ts'
import { unfinishedTenants } from '../../clickhouse/rollups/unfinished-tenants.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { moveToken } from '../../queries/reports/find-watermark.ts'
import { sql } from '../../queries/sql/sql.ts'
import { ofTenant } from '../../queries/tenants/owned-tables.ts'
import * as durations from '../../schema/durations.ts'
import { withLease } from '../program/lease.ts'
import { countRows, deleteRows, type RowCondition, type RowCounts } from './owned-rows.ts'

export type Log = (line: string) => void

interface MoveOptions {
  readonly log: Log
  /** Wait for inserts that were sent by the old place. */
  readonly untilSettled?: (milliseconds: number) => Promise<unknown>
  readonly acknowledgedMs?: number
}

/** Imports of reports wait during the move; reads and the collector continue. Throws if the tenant is not complete on the shard. */
export async function moveTenant(
  cluster: Cluster,
  tenantId: string,
  number: number,
  { log, untilSettled = sleep, acknowledgedMs = durations.acknowledgedMs }: MoveOptions,
) {
  requireNodes(cluster)
  const target = requireShard(cluster, number)
  if ((await unfinishedTenants(cluster.client)).includes(tenantId)) {
    throw new Error(
      'An import of the tenant is running or was interrupted: let it finish, or run it again, before the move',
    )
  }
  const onWait = (holder: string, kind: string) => log(`Waiting for the ${kind} of the tenant by ${holder}`)
  return withLease({ database: cluster.client, leaseId: tenantId, kind: 'move', onWait }, async (checkLease) => {
    const current = requireShard(cluster, await settleShard(cluster, tenantId))
    const blocksStored = () =>
      untilAcknowledged(cluster.shards, tenantId, acknowledgedMs, () => log('Waiting for blocks of the collector'))
    const settle = async () => {
      await untilSettled(durations.forgottenMs)
      await blocksStored()
    }
    const bringTo = (shard: Shard) => bringIn(cluster, shard, tenantId, { log, settle })
    await bringTo(current)
    if (current !== target) {
      await requireWholeSites(current.database, tenantId)
      await copyWhole({ tenantId, from: current.database, to: () => target.database, onStep: log }, () =>
        logMove(target.database, tenantId, 'started'),
      )
      await blocksStored()
      await checkLease()
      await logMove(cluster.client, tenantId, 'started')
      await assignShard(cluster, tenantId, number)
      log(`The tenant's shard is ${number}`)
      await bringTo(target)
    }
    await logMove(target.database, tenantId, 'done')
    const check = await checkRollups(target.database, { tenantId })
    return { id: tenantId, shard: number, ...check }
  })
}

/** The lease is renewed during the copy; blocks that a collector stores in between are copied after the switch. */
const isCompared = ({ table, isFilled }: CopiedTable) => !isFilled && table !== 'import_leases' && table !== 'reports'

/** Throws if the deletion of a site was interrupted: it continues where its working tables are. */
async function requireWholeSites(database: Database, tenantId: string): Promise<void> {
  const copies = await countRows([database], ({ table }) => (isCopy(table) ? ofTenant(table, tenantId) : undefined))
  if (sum(copies) === 0) return
  throw new Error(
    'A deletion of the tenant was interrupted: run "sites delete" or "reports delete" again before the move',
  )
}

/**
 * Copies to a shard without rows of the tenant. Reports that the collector stores later are copied after the switch.
 * @param onCopied called before the reports that are stored later: from then on exports in the order of storing wait on
 * the shard.
 */
async function copyWhole(copy: Copy, onCopied: () => Promise<void>): Promise<void> {
  await copyTenant(copy)
  await onCopied()
  for (let again = 0; again < 3 && (await copyAgain(copy)) > 0; again++);
  const different = await findDifference(copy, isCompared)
  if (different !== undefined) throw new Error(`${different} changed during the copy: run the command again`)
}

/**
 * Moves rows from other shards to the tenant's shard, after an interrupted move or a write by a node that used the old
 * shard.
 */
async function bringIn(
  { shards }: Cluster,
  target: Shard,
  tenantId: string,
  { log, settle }: { readonly log: Log; readonly settle: () => Promise<void> },
): Promise<void> {
  for (const shard of shards) {
    if (shard === target || (await countTenantRows(shard.database, tenantId)) === 0) continue
    log(`Waiting for reports that are being sent to shard ${shard.number}`)
    await settle()
    const copy = { tenantId, from: shard.database, to: () => target.database, onStep: log }
    await copyAgain(copy)
    if ((await copyAgain(copy)) > 0)
      throw new Error(`Shard ${shard.number} still stores reports of the tenant: run the command again`)
    await removeRows(shard, tenantId, log)
  }
}

export async function countTenantRows(database: Database, tenantId: string): Promise<number> {
  return sum(await countRows([database], ({ table }) => ofTenant(table, tenantId)))
}

export async function removeRows({ number, database }: Shard, tenantId: string, log: Log): Promise<void> {
  const condition: RowCondition = ({ table }) => sql`${ofTenant(table, tenantId)} AND ${ofShard(number)}`
  const counts = await countRows([database], condition)
  if (sum(counts) === 0) return
  log(`Removing ${sum(counts)} rows from shard ${number}`)
  await deleteRows([database], condition, Object.keys(counts))
}

const sum = (counts: RowCounts) => Object.values(counts).reduce((total, rows) => total + rows, 0)

const logMove = (database: Database, tenantId: string, state: 'started' | 'done') =>
  logImportSteps(database)([tenantId], moveToken, state)
