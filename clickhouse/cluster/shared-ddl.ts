/**
 * @module A database of the engine Replicated with several shards runs CREATE, DROP, RENAME TABLE and ALTER on all of
 * them. Exceptions are ALTER TABLE ... DROP PARTITION and DELETE FROM, which no client setting changes
 * (DatabaseReplicated::shouldReplicateQuery, observed on two shards of 26.7). An ALTER of an Alias table in a database of another engine runs only on its server (tried on one server, not on replicas).
 */

import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { type Sql, sql, uint } from '../../queries/sql/sql.ts'

/** A statement returns when every server has run it, and fails if one has not within 180 s. One server ignores them. */
export const ddlSettings = { database_replicated_enforce_synchronous_settings: 1, alter_sync: '2' } as const

/** The databases that a statement is sent to, so that it is run on all. */
export async function ddlTargets(shards: readonly Database[]): Promise<readonly Database[]> {
  const [first] = shards
  const [database] = first ? await first.read(findEngine) : []
  return database?.engine === 'Replicated' ? shards.slice(0, 1) : shards
}

const findEngine: Query<{ engine: string }> = {
  name: 'findEngine',
  statement: sql`SELECT engine FROM system.databases WHERE name = currentDatabase()`,
  row: z.object({ engine: z.string() }),
  pool: 'lookup',
}

/**
 * A mutation of one shard, run on any node; its setting allows values that differ between shards but not between
 * replicas.
 */
export const ofShard = (number: number): Sql => sql`toUInt32(getMacro('shard')) = ${uint(number)}`

/** It returns when the rows are rewritten on every replica, for which they have the 10 min of the client's request. */
export const mutationSettings = {
  ...ddlSettings,
  mutations_sync: '2',
  distributed_ddl_task_timeout: '600',
  allow_nondeterministic_mutations: 1,
} as const
