import { z } from 'zod'
import { isNamed } from '../../queries/clickhouse/error-codes.ts'
import type { Query } from '../../queries/sql/query.ts'
import { onlyRow, rowCount } from '../../queries/sql/rows.ts'
import { sql, text } from '../../queries/sql/sql.ts'
import { Problem } from '../../schema/problems.ts'
import { onCluster, type Replication, shardDatabase } from './on-cluster.ts'
import type { Cluster, ClusterNode } from './open-cluster.ts'
import { createShardDictionary, createTenantShards, requireNodes, shardCollection } from './tenant-shards.ts'
import { type Wait, waitUntil } from './wait-until.ts'

/** Runs a statement of a migration on a cluster. */
export type Apply = (statement: string) => Promise<void>

/** Creates the databases on every node, new ones too. Throws an Error of one line that names the node that is missing. */
export async function prepareCluster(cluster: Cluster, replication: Replication, wait: Wait = {}): Promise<Apply> {
  const { front, nodes } = cluster
  requireNodes(cluster)
  for (const node of nodes) {
    for (const statement of replication.createDatabases(front, shardDatabase(front))) {
      await node.use('').command(statement)
    }
  }
  await untilEveryNodeIsKnown(cluster, wait)
  const { runsOn } = replication
  // Rows that are inserted in front are on their shards when the statement returns.
  const settings = { ...replication.settings, distributed_foreground_insert: '1' }
  const run = async (database: string, statement: string) => {
    if (runsOn === 'one node') return runOnFirst(nodes, database, statement, settings, wait)
    for (const node of nodes) await node.use(database).command(statement, { settings })
  }
  const apply: Apply = async (statement) => {
    for (const { database, statement: own } of onCluster(statement, front, replication)) await run(database, own)
  }
  await apply(createTenantShards)
  await run(front, createShardDictionary(front, await hasCollection(cluster)))
  await untilFetched(cluster, wait)
  return apply
}

/** Uses the next node if one lags; a database refuses statements on a node that is 50 statements behind. */
async function runOnFirst(
  nodes: readonly ClusterNode[],
  database: string,
  statement: string,
  settings: Replication['settings'],
  wait: Wait,
): Promise<void> {
  await waitUntil(
    async () => {
      let pending: string | undefined
      for (const { origin, use } of nodes) {
        try {
          await use(database).command(statement, { settings })
          return undefined
        } catch (error) {
          if (!isNamed(error, 'NOT_A_LEADER')) throw error
          pending ??= `${origin} does not accept statements yet: ${(error as Error).message.trim().replace(/\.$/, '')}`
        }
      }
      return pending
    },
    'see the log of that server and run the command again',
    wait,
  )
}

const countNodes = (cluster: string): Query<{ nodes: number }> => ({
  name: 'countNodes',
  statement: sql`SELECT count() AS nodes FROM system.clusters WHERE cluster = ${text(cluster)}`,
  row: z.object({ nodes: rowCount }),
  pool: 'lookup',
})

/** A node lists the others a moment after their databases are created. */
async function untilEveryNodeIsKnown({ front, nodes }: Cluster, wait: Wait): Promise<void> {
  const name = shardDatabase(front)
  await waitUntil(
    () =>
      firstPending(nodes, async ({ origin, use }) => {
        const known = onlyRow(await use('').read(countNodes(name))).nodes
        if (known === nodes.length) return undefined
        const found = `CLICKHOUSE_URL has ${nodes.length} nodes, and ${origin} knows ${known} of the cluster ${name}`
        if (known > nodes.length) throw new Error(`${found}: list all of them`)
        return found
      }),
    'list each node once, see the log of that server, and run the command again',
    wait,
  )
}

const countFetches = (database: string): Query<{ fetches: number }> => ({
  name: 'countFetches',
  statement: sql`
    SELECT sum(is_readonly) + sum(inserts_in_queue) AS fetches
    FROM system.replicas
    WHERE database = ${text(database)}`,
  row: z.object({ fetches: rowCount }),
  pool: 'lookup',
})

/** A replaced node has empty small tables at first, as if no migration were applied. */
async function untilFetched({ front, nodes }: Cluster, wait: Wait): Promise<void> {
  await waitUntil(
    () =>
      firstPending(nodes, async ({ origin, use }) => {
        const { fetches } = onlyRow(await use('').read(countFetches(front)))
        return fetches === 0 ? undefined : `${origin} is fetching the tables of ${front}, ${fetches} parts left`
      }),
    'see the log of that server and run the command again',
    wait,
  )
}

/** Also waits for a node that does not respond in time. */
async function firstPending(
  nodes: readonly ClusterNode[],
  findPending: (node: ClusterNode) => Promise<string | undefined>,
): Promise<string | undefined> {
  for (const node of nodes) {
    const pending = await findPending(node).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error
      return `${node.origin} does not respond`
    })
    if (pending !== undefined) return pending
  }
  return undefined
}

const findCollection: Query<{ name: string }> = {
  name: 'findCollection',
  statement: sql`SELECT name FROM system.named_collections WHERE name = ${text(shardCollection)}`,
  row: z.object({ name: z.string() }),
  pool: 'lookup',
}

/** False for a user without the permission to read it. */
async function hasCollection({ nodes }: Cluster): Promise<boolean> {
  const rows = await nodes[0]
    ?.use('')
    .read(findCollection)
    .catch(() => [])
  return rows !== undefined && rows.length > 0
}
