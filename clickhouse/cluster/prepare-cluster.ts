import { z } from 'zod'
import { onlyRow } from '../../queries/sql/only-row.ts'
import type { Query } from '../../queries/sql/query.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { sql, text } from '../../queries/sql/sql.ts'
import { onCluster, type Replication, shardDatabase } from './on-cluster.ts'
import type { Cluster } from './open-cluster.ts'
import { createShardDictionary, createTenantShards, requireNodes, shardCollection } from './tenant-shards.ts'

/** Runs a statement of a migration on a cluster. */
export type Apply = (statement: string) => Promise<void>

/** Creates the databases on every node, new ones too. Throws an Error of one line that says which node is missing. */
export async function prepareCluster(cluster: Cluster, replication: Replication): Promise<Apply> {
  const { front, nodes } = cluster
  requireNodes(cluster)
  for (const node of nodes) {
    for (const statement of replication.createDatabases(front, shardDatabase(front))) {
      await node.use('').command(statement)
    }
  }
  await requireEveryNode(cluster)
  const targets = replication.runsOn === 'one node' ? nodes.slice(0, 1) : nodes
  const run = async (database: string, statement: string) => {
    for (const node of targets) await node.use(database).command(statement, { settings: replication.settings })
  }
  const apply: Apply = async (statement) => {
    for (const { database, statement: own } of onCluster(statement, front, replication)) await run(database, own)
  }
  await apply(createTenantShards)
  await run(front, createShardDictionary(front, await hasCollection(cluster)))
  return apply
}

const countNodes = (cluster: string): Query<{ nodes: number }> => ({
  name: 'countNodes',
  statement: sql`SELECT count() AS nodes FROM system.clusters WHERE cluster = ${text(cluster)}`,
  row: z.object({ nodes: rowCount }),
  pool: 'lookup',
})

async function requireEveryNode({ front, nodes }: Cluster): Promise<void> {
  for (const node of nodes) {
    const known = onlyRow(await node.use('').read(countNodes(shardDatabase(front)))).nodes
    if (known === nodes.length) continue
    throw new Error(
      `CLICKHOUSE_URL has ${nodes.length} nodes, and ${node.origin} knows ${known} of the cluster ${shardDatabase(front)}: name all`,
    )
  }
}

const findCollection: Query<{ name: string }> = {
  name: 'findCollection',
  statement: sql`SELECT name FROM system.named_collections WHERE name = ${text(shardCollection)}`,
  row: z.object({ name: z.string() }),
  pool: 'lookup',
}

/** False for a user that may not know. */
async function hasCollection({ nodes }: Cluster): Promise<boolean> {
  const rows = await nodes[0]
    ?.use('')
    .read(findCollection)
    .catch(() => [])
  return rows !== undefined && rows.length > 0
}
