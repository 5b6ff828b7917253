/** @module Number of replicas of a shard, which is the number that a write waits for. */

import { z } from 'zod'
import type { ReplicaCount } from '../../queries/clickhouse/cluster-settings.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { sql, text } from '../../queries/sql/sql.ts'
import { minuteMs } from '../../schema/durations.ts'
import { Problem } from '../../schema/problems.ts'

const sizeRow = z.object({ replicas: rowCount, shards: rowCount })
export type ClusterSize = z.infer<typeof sizeRow>

const measureCluster = (cluster: string): Query<ClusterSize> => ({
  name: 'measureCluster',
  statement: sql`
    SELECT max(replicas) AS replicas, count() AS shards
    FROM (SELECT count() AS replicas FROM system.clusters WHERE cluster = ${text(cluster)} GROUP BY shard_num)`,
  row: sizeRow,
  pool: 'lookup',
})

/**
 * The largest number of replicas that a server reports, and at least the servers per shard in CLICKHOUSE_URL: an empty
 * server has no list, and a list lacks a replica during its replacement. Zeros if no server has a list: before the
 * first migration, and for a user that does not write.
 * @param servers in CLICKHOUSE_URL.
 * @param shardsSeen shards of the servers that responded.
 */
export async function measureSize(
  servers: readonly Pick<Database, 'read'>[],
  cluster: string,
  shardsSeen: number,
): Promise<ClusterSize> {
  const sizes = await Promise.all(servers.map((server) => server.read(measureCluster(cluster)).catch(() => [])))
  const largest = (of: keyof ClusterSize) => Math.max(0, ...sizes.flat().map((size) => size[of]))
  const shards = largest('shards')
  if (shards === 0) return { replicas: 0, shards }
  return { replicas: Math.max(largest('replicas'), Math.ceil(servers.length / Math.max(shards, shardsSeen))), shards }
}

/** Measures if unknown, and in the background each minute and after a failed write. The number never decreases. */
export function createReplicaCount(measure: () => Promise<ClusterSize>): ReplicaCount {
  let known = 0
  let measuredAt = -Infinity
  let measuring: Promise<void> | undefined
  const again = () => {
    measuring ??= measure()
      .then(({ replicas }) => {
        known = Math.max(known, replicas)
        measuredAt = performance.now()
      })
      .finally(() => {
        measuring = undefined
      })
    return measuring
  }
  return {
    async read() {
      if (known === 0) await again()
      else if (performance.now() - measuredAt > minuteMs) void again()
      if (known > 0) return known
      const cause = new Error(
        'Writes are paused because no server lists the replicas of a shard: start the servers, or run "migrate"',
      )
      throw new Problem('upstream_unavailable', undefined, { cause })
    },
    doubt: () => void again(),
  }
}
