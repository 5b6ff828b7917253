import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { onlyRow } from '../../queries/sql/only-row.ts'
import type { Query } from '../../queries/sql/query.ts'
import { rowCount, rowTime } from '../../queries/sql/rows.ts'
import { render, sql, uint, uuid } from '../../queries/sql/sql.ts'
import { placeDictionary } from './on-cluster.ts'
import type { Cluster, ClusterNode, Shard } from './open-cluster.ts'

// Where each tenant lies: whole on one shard, by a row of tenant_places, without one on the first.

export const createPlaces = `
CREATE TABLE IF NOT EXISTS tenant_places
(
    tenant_id   UUID COMMENT 'The tenant',
    shard       UInt32 COMMENT 'Number of its shard, from 1',
    updated_at  DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row was written: of several the latest counts'
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY tenant_id
COMMENT 'Shards of tenants'`.trim()

/** Named collection of the server's configuration, with user and password that read the places. */
export const placeCollection = 'tenant_places'

/** Read again every 1 to 3 s. @param collection otherwise as the server's user default. */
export const createPlaceDictionary = (front: string, collection: boolean) =>
  `
CREATE DICTIONARY IF NOT EXISTS ${placeDictionary}
(
    tenant_id UUID,
    shard     UInt32
)
PRIMARY KEY tenant_id
SOURCE(CLICKHOUSE(${collection ? `NAME ${placeCollection} ` : ''}QUERY 'SELECT tenant_id, shard FROM ${front}.tenant_places FINAL'))
LAYOUT(COMPLEX_KEY_HASHED())
LIFETIME(MIN 1 MAX 3)
COMMENT 'Shards of tenants, for the sharding key of Distributed tables'`.trim()

const placeRow = z.object({ shard: rowCount })

/** As the node's dictionary has it. */
const findPlace = (tenantId: string): Query<z.infer<typeof placeRow>> => ({
  name: 'findPlace',
  statement: sql`SELECT dictGetOrDefault('tenant_place', 'shard', tuple(${uuid(tenantId)}), 1) AS shard`,
  row: placeRow,
  pool: 'lookup',
})

/** Number of the tenant's shard. */
export const placeOfTenant = async ({ client }: Cluster, tenantId: string): Promise<number> =>
  onlyRow(await client.read(findPlace(tenantId))).shard

/** False for a tenant that lies on the first shard by default. */
export const hasPlace = async ({ client }: Cluster, tenantId: string): Promise<boolean> =>
  onlyRow(
    await client.read({
      name: 'hasPlace',
      statement: sql`SELECT dictHas('tenant_place', tuple(${uuid(tenantId)}))::Bool AS known`,
      row: z.object({ known: z.boolean() }),
      pool: 'lookup',
    }),
  ).known

/** Returns when every node knows the place. Throws where one is missing: it could still read or write the old place. */
export async function placeTenant(cluster: Cluster, tenantId: string, shard: number): Promise<void> {
  requireShard(cluster, shard)
  requireNodes(cluster)
  // Later than any row before, even where clocks differ.
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
    await database.command(`SYSTEM RELOAD DICTIONARY ${placeDictionary}`)
    if (onlyRow(await database.read(findPlace(tenantId))).shard === shard) return
    if (Date.now() > deadline) throw new Error(`${origin} has not got the tenant's place yet: run the command again`)
    await sleep(pollMs)
  }
}

/** Number of the tenant's shard, which every node knows afterwards: a placing that was cut off is completed. */
export async function settlePlace(cluster: Cluster, tenantId: string): Promise<number> {
  requireNodes(cluster)
  const rows = await Promise.all(cluster.nodes.map(({ use }) => use(cluster.front).read(findPlaceRow(tenantId))))
  const [latest] = rows.flat().toSorted((one, other) => Date.parse(other.updatedAt) - Date.parse(one.updatedAt))
  const shard = latest?.shard ?? 1
  await placeTenant(cluster, tenantId, shard)
  return shard
}

const recordedRow = placeRow.extend({ updatedAt: rowTime })

const findPlaceRow = (tenantId: string): Query<z.infer<typeof recordedRow>> => ({
  name: 'findPlaceRow',
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
  throw new Error(`There is no shard ${number}; there are ${shards.map((other) => other.number).join(', ')}`)
}

/** Of the shards the one with the fewest tenants, for a new tenant. */
export async function emptiestShard({ client, shards }: Cluster): Promise<number> {
  const rows = await client.read(countTenants)
  const tenantsOf = (number: number) => rows.find(({ shard }) => shard === number)?.tenants ?? 0
  const numbers = shards.map(({ number }) => number)
  return numbers.reduce((best, number) => (tenantsOf(number) < tenantsOf(best) ? number : best))
}

const countRow = z.object({ shard: rowCount, tenants: rowCount })

const countTenants: Query<z.infer<typeof countRow>> = {
  name: 'countTenants',
  statement: sql`
    SELECT dictGetOrDefault('tenant_place', 'shard', tuple(id), 1) AS shard, count() AS tenants
    FROM (SELECT DISTINCT id FROM tenants)
    GROUP BY shard`,
  row: countRow,
  pool: 'lookup',
}
