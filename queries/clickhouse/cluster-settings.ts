import { quorumTimeoutMs } from '../../schema/durations.ts'

/** A read and its subqueries go only to the tenant's shard, and fail if a shard does not respond. */
export const clusterReads = {
  distributed_product_mode: 'local',
  optimize_skip_unused_shards: '1',
  // The shard of a tenant is looked up in a dictionary.
  allow_nondeterministic_optimize_skip_unused_shards: '1',
  skip_unavailable_shards: '0',
  // Seconds: a replica that lacks an older part, such as a new replica, serves no read, even if it is the only one.
  max_replica_delay_for_distributed_queries: '1',
  fallback_to_stale_replicas_for_distributed_queries: '0',
} as const

/** An insert is on its shards when it returns. */
export const clusterWrites = { distributed_foreground_insert: 1, async_insert: 0 } as const

/** Number of a shard's replicas, servers that are down included. */
export interface ReplicaCount {
  /** Rejects while it is unknown: writes are then not possible. */
  read(): Promise<number>
  /** Measures again, for example after a failed write. */
  doubt(): void
}

/**
 * With all replicas of a shard, a read that sees an import as done finds its rows.
 * @param quorum auto for more than half of them. A number, because ClickHouse's own auto ignores a replica that is
 * being replaced.
 */
export const quorumOf = (replicas: number, quorum?: 'auto') => ({
  insert_quorum: String(quorum === 'auto' ? Math.floor(replicas / 2) + 1 : replicas),
  insert_quorum_timeout: quorumTimeoutMs,
  // `majorityReads` knows the last insert of one after the other.
  ...(quorum === 'auto' && { insert_quorum_parallel: 0 }),
})

/** For a quorum of more than half of the replicas; a replica without the last insert serves no read. */
export const majorityReads = { select_sequential_consistency: '1' } as const
