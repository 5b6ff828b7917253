import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import { isNamed } from '../../queries/clickhouse/error-codes.ts'
import type { Query } from '../../queries/sql/query.ts'
import { sql, text } from '../../queries/sql/sql.ts'
import { shardDatabase } from './on-cluster.ts'
import type { ClusterNode } from './open-cluster.ts'
import { type Wait, waitUntil } from './wait-until.ts'

export interface LostReplica {
  /** Number from 1. */
  readonly shard: number
  /** Macro of its server. */
  readonly replica: string
}

export const nameOf = ({ shard, replica }: LostReplica) => `replica ${replica} of shard ${shard}`

const again = 'run the command again'

/** A replica of a database in Keeper, see `replicated.ts`. */
interface Registration {
  readonly database: string
  readonly shard: string
  readonly replica: string
}

/** @param node another replica of its shard. */
export function registrationsOf(
  front: string,
  { macros }: ClusterNode,
  { replica }: LostReplica,
): readonly Registration[] {
  return [
    { database: shardDatabase(front), shard: macros.shard, replica },
    { database: front, shard: 'all', replica: `${macros.shard}_${replica}` },
  ]
}

export const findRegistration = ({ database, shard, replica }: Registration): Query<{ isActive: boolean }> => ({
  name: 'findRegistration',
  statement: sql`
    SELECT (ifNull(is_active, 0) = 1)::Bool AS isActive
    FROM system.clusters
    WHERE cluster = ${text(database)} AND database_shard_name = ${text(shard)} AND database_replica_name = ${text(replica)}`,
  row: z.object({ isActive: z.boolean() }),
  pool: 'lookup',
})

/** Statements that remove a replica of a database, first of its tables. Throws for a name that would need quoting. */
function dropStatements({ database, shard, replica }: Registration): readonly string[] {
  for (const word of [database, shard, replica]) {
    if (!/^[\w-]+$/.test(word)) throw new Error(`not a replica name: ${word}`)
  }
  return [
    `SYSTEM DROP REPLICA '${replica}' FROM DATABASE ${database}`,
    `SYSTEM DROP DATABASE REPLICA '${replica}' FROM SHARD '${shard}' FROM DATABASE ${database}`,
  ]
}

/**
 * Waits until the replica is inactive, then removes it unless it is already removed.
 * @param survivor another replica of its shard.
 */
export async function dropReplica(
  survivor: ClusterNode,
  registration: Registration,
  lost: LostReplica,
  wait: Wait,
): Promise<void> {
  const server = survivor.use('')
  const find = async () => (await server.read(findRegistration(registration)))[0]
  if (!(await find())) return
  const active = `${nameOf(lost)} is active in ${registration.database}: stop its server; its Keeper session ends 10 s later`
  await waitUntil(async () => ((await find())?.isActive ? active : undefined), again, wait)
  wait.onStep?.(`Removing ${nameOf(lost)} from ${registration.database}`)
  for (const statement of dropStatements(registration)) {
    await waitUntil(async () => ((await isDropped(server, statement)) ? undefined : active), again, wait)
  }
}

const isDropped = (server: Database, statement: string): Promise<boolean> =>
  server.command(statement).then(
    () => true,
    (error: unknown) => {
      if (isNamed(error, 'TABLE_WAS_NOT_DROPPED')) return false
      throw error
    },
  )
