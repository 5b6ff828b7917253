/**
 * @module Shards of tenants: each is on one shard according to its row in tenant_places, without a row on the first.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Query } from '../../queries/sql/query.ts'
import { onlyRow, rowCount, rowTime } from '../../queries/sql/rows.ts'
import { render, sql, uint, uuid } from '../../queries/sql/sql.ts'
import { shardDictionary } from './on-cluster.ts'
import type { Cluster, ClusterNode, Shard } from './open-cluster.ts'

export const createTenantShards = `
CREATE TABLE IF NOT EXISTS tenant_places
(
    tenant_id   UUID COMMENT 'The tenant',
    shard       UInt32 COMMENT 'Number of its shard, from 1',
    updated_at  DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row was written: the latest row counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY tenant_id
COMMENT 'Shards of tenants'`.trim()

/** Named collection of the server's configuration, with user and password that read them. */
export const shardCollection = 'tenant_places'

/** Read again every 1 to 3 s. @param collection otherwise as the server's user default. */
export const createShardDictionary = (front: string, collection: boolean) =>
  `
CREATE DICTIONARY IF NOT EXISTS ${shardDictionary}
(
    tenant_id UUID,
    shard     UInt32
)
PRIMARY KEY tenant_id
SOURCE(CLICKHOUSE(${collection ? `NAME ${shardCollection} ` : ''}QUERY 'SELECT tenant_id, shard FROM ${front}.tenant_places FINAL'))
LAYOUT(COMPLEX_KEY_HASHED())
LIFETIME(MIN 1 MAX 3)
COMMENT 'Shards of tenants, for the sharding key of Distributed tables'`.trim()

const shardRow = z.object({ shard: rowCount })

/** Shard according to the node's dictionary. */
const findShard = (tenantId: string): Query<z.infer<typeof shardRow>> => ({
  name: 'findShard',
  statement: sql`SELECT dictGetOrDefault('tenant_place', 'shard', tuple(${uuid(tenantId)}), 1) AS shard`,
  row: shardRow,
  pool: 'lookup',
})

/** Number of the tenant's shard. */
export const shardOfTenant = async ({ client }: Cluster, tenantId: string): Promise<number> =>
  onlyRow(await client.read(findShard(tenantId))).shard

/** False for a tenant that is on the first shard by default. */
export const hasShard = async ({ client }: Cluster, tenantId: string): Promise<boolean> =>
  onlyRow(
    await client.read({
      name: 'hasShard',
      statement: sql`SELECT dictHas('tenant_place', tuple(${uuid(tenantId)}))::Bool AS known`,
      row: z.object({ known: z.boolean() }),
      pool: 'lookup',
    }),
  ).known

/** Returns when every node uses the shard. Throws if a node is missing: it could still use the old shard. */
export async function assignShard(cluster: Cluster, tenantId: string, shard: number): Promise<void> {
  requireShard(cluster, shard)
  requireNodes(cluster)
  // Later than any earlier row, even if clocks differ.
  const { text, params } = render(sql`
    INSERT INTO tenant_places (tenant_id, shard, updated_at)
    SELECT ${uuid(tenantId)}, ${uint(shard)}, greatest(now64(3), max(updated_at) + toIntervalMillisecond(1))
    FROM tenant_places
    WHERE tenant_id = ${uuid(tenantId)}`)
  await cluster.client.command(text, { params })
  await Promise.all(cluster.nodes.map((node) => untilKnown(node, cluster.front, tenantId, shard)))
}

async function untilKnown({ origin, use }: ClusterNode, front: string, tenantId: string, shard: number): Promise<void> {
  const database = use(front)
  const deadline = Date.now() + replicationTimeoutMs
  for (;;) {
    await database.command(`SYSTEM RELOAD DICTIONARY ${shardDictionary}`)
    if (onlyRow(await database.read(findShard(tenantId))).shard === shard) return
    if (Date.now() > deadline) throw new Error(`${origin} does not know the tenant's shard yet: run the command again`)
    await sleep(pollMs)
  }
}

/** Number of the tenant's shard, which every node has afterwards: an interrupted assignment is completed. */
export async function settleShard(cluster: Cluster, tenantId: string): Promise<number> {
  requireNodes(cluster)
  const rows = await Promise.all(cluster.nodes.map(({ use }) => use(cluster.front).read(findShardRow(tenantId))))
  const [latest] = rows.flat().toSorted((one, other) => Date.parse(other.updatedAt) - Date.parse(one.updatedAt))
  const shard = latest?.shard ?? 1
  await assignShard(cluster, tenantId, shard)
  return shard
}

const recordedRow = shardRow.extend({ updatedAt: rowTime })

const findShardRow = (tenantId: string): Query<z.infer<typeof recordedRow>> => ({
  name: 'findShardRow',
  statement: sql`
    SELECT shard, updated_at AS updatedAt
    FROM tenant_places FINAL
    WHERE tenant_id = ${uuid(tenantId)}`,
  row: recordedRow,
  pool: 'lookup',
})

const replicationTimeoutMs = 30_000
const pollMs = 200

export function requireNodes({ missing }: Cluster): void {
  if (missing.length > 0) throw new Error(`Every node must respond: ${missing.join('; ')}`)
}

export function requireShard({ shards }: Cluster, number: number): Shard {
  const shard = shards.find((other) => other.number === number)
  if (shard) return shard
  throw new Error(`There is no shard ${number}; the shards are ${shards.map((other) => other.number).join(', ')}`)
}
