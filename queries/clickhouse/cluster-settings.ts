/** A question asks its tenant's shard alone, with the shard's own tables in its subqueries; it is never half answered. */
export const clusterReads = {
  distributed_product_mode: 'local',
  optimize_skip_unused_shards: '1',
  // The place of a tenant is looked up in a dictionary.
  allow_nondeterministic_optimize_skip_unused_shards: '1',
  skip_unavailable_shards: '0',
} as const

/** An insert is on its shards when it returns. */
export const clusterWrites = { distributed_foreground_insert: 1, async_insert: 0 } as const

/** With all replicas of a shard, whoever sees that an import is done sees its rows. */
export const quorumOf = (replicas: number) => ({ insert_quorum: String(replicas) })
