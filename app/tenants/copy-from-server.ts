import { copyLibraries, copyTenant, findDifference } from '../../clickhouse/cluster/copy-tenant.ts'
import { everywhere } from '../../clickhouse/cluster/on-cluster.ts'
import type { Cluster } from '../../clickhouse/cluster/open-cluster.ts'
import { emptiestShard } from '../../clickhouse/cluster/shard-sizes.ts'
import {
  assignShard,
  hasShard,
  requireNodes,
  requireShard,
  shardOfTenant,
} from '../../clickhouse/cluster/tenant-shards.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { type Log, removeRows } from './move-tenant.ts'

/** A tenant of one server that the cluster has. */
export interface CopiedTenant {
  readonly id: string
  readonly shard: number
  /** False if it was already identical. */
  readonly copied: boolean
}

interface CopyOptions {
  /** The one with the fewest bytes by default. */
  readonly shard: number | undefined
  readonly log: Log
}

/** Copies tenants of one server, one after the other; nothing may write during the copy. Throws if a copy differs. */
export async function copyFromServer(
  cluster: Cluster,
  server: Database,
  tenantIds: readonly string[],
  { shard, log }: CopyOptions,
): Promise<CopiedTenant[]> {
  requireNodes(cluster)
  await copyLibraries(server, cluster.client, log)
  const tenants: CopiedTenant[] = []
  for (const [index, id] of tenantIds.entries()) {
    log(`Tenant ${id}, ${index + 1} of ${tenantIds.length}`)
    tenants.push(await copyOne(cluster, server, id, { shard, log }))
  }
  return tenants
}

async function copyOne(
  cluster: Cluster,
  from: Database,
  tenantId: string,
  { shard: wanted, log }: CopyOptions,
): Promise<CopiedTenant> {
  const copyTo = (number: number) => {
    const { database } = requireShard(cluster, number)
    const to = (table: string) => (everywhere.includes(table) ? cluster.client : database)
    return { tenantId, from, to, onStep: log }
  }
  const current = (await hasShard(cluster, tenantId)) ? await shardOfTenant(cluster, tenantId) : undefined
  const number = current ?? wanted ?? (await emptiestShard(cluster))
  if (wanted !== undefined && wanted !== number) {
    throw new Error(`The tenant's shard is ${number}: copy it there, then run "tenants move"`)
  }
  if (current !== undefined && (await findDifference(copyTo(current))) === undefined) {
    return { id: tenantId, shard: current, copied: false }
  }
  await assignShard(cluster, tenantId, number)
  await removeRows(requireShard(cluster, number), tenantId, log)
  await copyTenant(copyTo(number))
  const different = await findDifference(copyTo(number))
  if (different === undefined) return { id: tenantId, shard: number, copied: true }
  throw new Error(`${different} differs from the server's: stop all writes to the server and run the command again`)
}
