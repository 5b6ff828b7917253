import { setTimeout as sleep } from 'node:timers/promises'
import { type Copy, copyAgain, copyTenant, ofTenant } from '../../clickhouse/cluster/copy-tenant.ts'
import type { Cluster, Shard } from '../../clickhouse/cluster/open-cluster.ts'
import { placeOfTenant, placeTenant, requireNodes, requireShard } from '../../clickhouse/cluster/places.ts'
import { logImportSteps } from '../../clickhouse/log-import-steps.ts'
import { checkRollups } from '../../clickhouse/rollups/check-rollups.ts'
import { unfinishedTenants } from '../../clickhouse/rollups/unfinished-tenants.ts'
import type { Database } from '../../queries/clickhouse/client.ts'
import { countOwnedRows, listOwnedTables } from '../../queries/tenants/list-owned-tables.ts'
import { withImportLease } from '../import/reports/import-lease.ts'
import { deleteOwnedRows } from './delete-tenant.ts'

// A tenant's way to another shard: copy, compare, switch, remove. Each step leaves the tenant whole on the shard of its
// place, so a run that was cut off is run again.

export type Log = (line: string) => void

/** Longer than a collector waits for an insert that it sent by the old place. */
const defaultSettledMs = 12_000

interface MoveOptions {
  readonly settledMs?: number
}

/** Imports of reports wait meanwhile; reads and the collector go on. Throws where the tenant is not whole on the shard. */
export async function moveTenant(
  cluster: Cluster,
  tenantId: string,
  number: number,
  log: Log,
  options: MoveOptions = {},
) {
  requireNodes(cluster)
  const target = requireShard(cluster, number)
  const unfinished = await unfinishedTenants(cluster.client)
  if (unfinished.includes(tenantId)) {
    throw new Error('An import of the tenant is running or was cut off: let it end, or run it again, before the move')
  }
  const onWait = (holder: string) => log(`Waiting for the import of the tenant by ${holder}`)
  return withImportLease({ database: cluster.client, tenantId, onWait }, async (checkLease) => {
    const place = await placeOfTenant(cluster, tenantId)
    if (place !== number) {
      const copy = copyTo(requireShard(cluster, place).database, target, tenantId, log)
      await removeRows(target, tenantId, log)
      await copyTenant(copy)
      // What the collector stores after the last of these is brought in behind the switch.
      for (let again = 0; again < 3 && (await copyAgain(copy)) > 0; again++);
      await checkLease()
      await logMove(cluster, tenantId, 'started')
      await placeTenant(cluster, tenantId, number)
      log(`Shard ${number} is the tenant's place`)
    }
    const others = cluster.shards.filter((shard) => shard !== target)
    for (const shard of others) {
      if ((await countTenantRows(shard.database, tenantId)) > 0) await bringIn(shard, target, tenantId, log, options)
    }
    await logMove(cluster, tenantId, 'done')
    const check = await checkRollups(target.database, { tenantId })
    return { id: tenantId, shard: number, ...check }
  })
}

/** Copies what a shard still has of a tenant that lies on another, compares, and removes it. */
async function bringIn(
  shard: Shard,
  target: Shard,
  tenantId: string,
  log: Log,
  { settledMs = defaultSettledMs }: MoveOptions,
): Promise<void> {
  const copy = copyTo(shard.database, target, tenantId, log)
  log(`Waiting ${settledMs / 1000} s for reports that are on their way to shard ${shard.number}`)
  await sleep(settledMs)
  await copyAgain(copy)
  if ((await copyAgain(copy)) > 0) throw new Error(`Reports are stored on shard ${shard.number} still: run it again`)
  await removeRows(shard, tenantId, log)
}

function copyTo(from: Database, target: Shard, tenantId: string, log: Log): Copy {
  return { tenantId, from, to: () => target.database, onStep: log }
}

export async function countTenantRows(database: Database, tenantId: string): Promise<number> {
  let rows = 0
  for (const { table } of await database.read(listOwnedTables)) {
    const [counted] = await database.read(countOwnedRows(table, ofTenant(table, tenantId)))
    rows += counted?.rows ?? 0
  }
  return rows
}

export async function removeRows({ number, database }: Shard, tenantId: string, log: Log): Promise<void> {
  const owned = (await database.read(listOwnedTables)).map(({ table }) => ({ table, where: ofTenant(table, tenantId) }))
  const counted = await Promise.all(
    owned.map(async ({ table, where }) => (await database.read(countOwnedRows(table, where)))[0]?.rows ?? 0),
  )
  const filled = owned.filter((_, index) => counted[index])
  if (filled.length === 0) return
  log(`Removing ${counted.reduce((sum, rows) => sum + rows, 0)} rows from shard ${number}`)
  await Promise.all(filled.map(({ table, where }) => deleteOwnedRows(database, table, where)))
}

const logMove = ({ client }: Cluster, tenantId: string, state: 'started' | 'done') =>
  logImportSteps(client)([tenantId], 'move', state)
