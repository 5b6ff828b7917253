/** @module Apart from open-cluster.ts, which loads the clients of ClickHouse. */

import type { Cluster, Shard } from './open-cluster.ts'

/** Throws if no node of a shard responds. */
export function everyShard({ shards, shardCount, missing }: Cluster): readonly Shard[] {
  if (shards.length === shardCount) return shards
  const reason = missing.length > 0 ? `no node of a shard responds: ${missing.join('; ')}` : 'it has no node of a shard'
  throw new Error(`CLICKHOUSE_URL must have a node of each of the ${shardCount} shards: ${reason}`)
}
