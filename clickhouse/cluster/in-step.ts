/** @module Replicas of a shard that have the same parts. */

import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { onlyRow, rowCount } from '../../queries/sql/rows.ts'
import { sql, text } from '../../queries/sql/sql.ts'
import { inStepTimeoutMs } from '../../schema/durations.ts'
import { shardDatabase } from './on-cluster.ts'
import type { Cluster } from './open-cluster.ts'

const pollMs = 100

/**
 * Returns when each replica of the shard has every part that another had at the call. Throws if a replica does not
 * respond, is late or lacks tables, for example after starting with an empty disk.
 */
export async function untilInStep(cluster: Cluster, shard: number, signal?: AbortSignal): Promise<void> {
  const current = await cluster.reopen()
  try {
    const replicas = current.nodes.filter((node) => node.shard === shard)
    const wanted = Math.max(await cluster.replicas(), await current.replicas())
    if (replicas.length < wanted) throw new Error(`Shard ${shard} has ${replicas.length} of ${wanted} replicas`)
    const database = shardDatabase(cluster.front)
    const tables = await Promise.all(replicas.map(({ use }) => untilCaughtUp(use(''), database, signal)))
    if (new Set(tables).size > 1) throw new Error(`The replicas of shard ${shard} have ${tables.join(' and ')} tables`)
  } finally {
    await current.close()
  }
}

/** Returns the number of its tables. */
async function untilCaughtUp(replica: Database, database: string, signal: AbortSignal | undefined): Promise<number> {
  const deadline = performance.now() + inStepTimeoutMs
  let behind: readonly string[] | undefined
  for (;;) {
    const now = onlyRow(await replica.read(findBehind(database), { signal }))
    // A table that was in step once has everything that others had at the call.
    behind = behind ? behind.filter((table) => now.behind.includes(table)) : now.behind
    if (behind.length === 0) return now.tables
    if (performance.now() > deadline) throw new Error(`A replica is behind in ${behind.join(', ')}`)
    await sleep(pollMs, undefined, { ...(signal && { signal }) })
  }
}

const behindRow = z.object({ tables: rowCount, behind: z.array(z.string()) })

/** Tables whose log has entries that the replica did not read, or whose parts it does not have. */
const findBehind = (database: string): Query<z.infer<typeof behindRow>> => ({
  name: 'findBehind',
  statement: sql`
    SELECT
      count() AS tables,
      groupArrayIf(table, is_readonly OR inserts_in_queue > 0 OR (log_max_index > 0 AND log_pointer <= log_max_index)) AS behind
    FROM system.replicas
    WHERE database = ${text(database)}`,
  row: behindRow,
  pool: 'lookup',
})
