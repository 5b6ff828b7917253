/** @module Replicas of a shard that have the same parts. */

import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { sql, text } from '../../queries/sql/sql.ts'
import { inStepTimeoutMs } from '../../schema/durations.ts'
import { shardDatabase } from './on-cluster.ts'
import type { Cluster } from './open-cluster.ts'

const pollMs = 100

/** Returns when each replica of the shard has every part that another had at the call. Throws where one does not respond, or is late. */
export async function untilInStep(cluster: Cluster, shard: number, signal?: AbortSignal): Promise<void> {
  const current = await cluster.reopen()
  try {
    const replicas = current.nodes.filter((node) => node.shard === shard)
    if (replicas.length < Math.max(cluster.replicas, current.replicas)) {
      throw new Error(`Shard ${shard} has ${replicas.length} of ${current.replicas} replicas`)
    }
    await Promise.all(replicas.map(({ use }) => untilCaughtUp(use(''), shardDatabase(cluster.front), signal)))
  } finally {
    await current.close()
  }
}

async function untilCaughtUp(replica: Database, database: string, signal: AbortSignal | undefined): Promise<void> {
  const deadline = performance.now() + inStepTimeoutMs
  let behind: readonly string[] | undefined
  for (;;) {
    const now = (await replica.read(listBehind(database), { signal })).map(({ table }) => table)
    // A table that was in step once has what the others had at the call.
    behind = behind ? behind.filter((table) => now.includes(table)) : now
    if (behind.length === 0) return
    if (performance.now() > deadline) throw new Error(`A replica is behind in ${behind.join(', ')}`)
    await sleep(pollMs, undefined, { ...(signal && { signal }) })
  }
}

const behindRow = z.object({ table: z.string() })

/** Tables whose log has entries that the replica did not read, or whose parts it does not have. */
const listBehind = (database: string): Query<z.infer<typeof behindRow>> => ({
  name: 'listBehind',
  statement: sql`
    SELECT table
    FROM system.replicas
    WHERE database = ${text(database)}
      AND (is_readonly OR inserts_in_queue > 0 OR (log_max_index > 0 AND log_pointer <= log_max_index))`,
  row: behindRow,
  pool: 'lookup',
})
