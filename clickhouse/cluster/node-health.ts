/** @module Faults of a cluster node according to its system tables, which only the writer may read. */

import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { onlyRow, rowCount } from '../../queries/sql/rows.ts'
import { sql, text, texts, uint } from '../../queries/sql/sql.ts'
import { minuteMs } from '../../schema/durations.ts'
import { Problem } from '../../schema/problems.ts'
import { shardDatabase } from './on-cluster.ts'

const replicasRow = z.object({
  /** Replicated tables of both databases. */
  tables: rowCount,
  /** Tables without a Keeper session, which reject inserts. */
  readonlyTables: rowCount,
  /** Age of the oldest part that the node lacks. */
  delaySeconds: rowCount,
  /** Parts that it fetches. */
  fetches: rowCount,
  /** Largest number of registered replicas of a table that are not active. */
  inactiveReplicas: rowCount,
})

const summariseReplicas = (databases: readonly string[]): Query<z.infer<typeof replicasRow>> => ({
  name: 'summariseReplicas',
  statement: sql`
    SELECT
      count() AS tables,
      countIf(is_readonly OR is_session_expired) AS readonlyTables,
      max(absolute_delay) AS delaySeconds,
      sum(inserts_in_queue) AS fetches,
      max(if(total_replicas > active_replicas, total_replicas - active_replicas, 0)) AS inactiveReplicas
    FROM system.replicas
    WHERE database IN ${texts(databases)}`,
  row: replicasRow,
  pool: 'lookup',
})

const knownRow = z.object({ knownNodes: rowCount })

const countKnownNodes = (cluster: string): Query<z.infer<typeof knownRow>> => ({
  name: 'countKnownNodes',
  statement: sql`SELECT count() AS knownNodes FROM system.clusters WHERE cluster = ${text(cluster)}`,
  row: knownRow,
  pool: 'lookup',
})

/** Age above which an insert or its quorum is considered stuck. */
export const lateMs = minuteMs

const insertsRow = z.object({ lateInserts: rowCount, oldestInsertSeconds: rowCount })
export type LateInserts = z.infer<typeof insertsRow>

/** Excludes inserts with a SELECT, such as rebuilds, which may take long. */
export const countLateInserts: Query<LateInserts> = {
  name: 'countLateInserts',
  statement: sql`
    SELECT
      countIf(elapsed * 1000 > ${uint(lateMs)}) AS lateInserts,
      toUInt64(max(elapsed)) AS oldestInsertSeconds
    FROM system.processes
    WHERE query_kind = 'Insert' AND positionCaseInsensitive(query, 'SELECT') = 0`,
  row: insertsRow,
  pool: 'lookup',
}

const quorumsRow = z.object({ lateQuorums: rowCount, latePart: z.string() })

/** Entries in Keeper of inserts on too few replicas; a replaced replica never counts there. */
export const countLateQuorums = (database: string): Query<z.infer<typeof quorumsRow>> => ({
  name: 'countLateQuorums',
  statement: sql`
    SELECT count() AS lateQuorums, min(name) AS latePart
    FROM system.zookeeper
    WHERE path IN (
        SELECT concat(zookeeper_path, arrayJoin(['/quorum', '/quorum/parallel']))
        FROM system.replicas
        WHERE database = ${text(database)}
      )
      AND name NOT IN ('parallel', 'last_part', 'failed_parts')
      AND ctime < now() - toIntervalMillisecond(${uint(lateMs)})`,
  row: quorumsRow,
  pool: 'lookup',
})

export type NodeHealth = z.infer<typeof replicasRow> &
  z.infer<typeof knownRow> &
  LateInserts &
  z.infer<typeof quorumsRow>

/** @param front the database that clients name. */
export async function readNodeHealth(node: Pick<Database, 'read'>, front: string): Promise<NodeHealth> {
  const shards = shardDatabase(front)
  const [replicas, known, inserts] = await Promise.all([
    node.read(summariseReplicas([front, shards])).then(onlyRow),
    node.read(countKnownNodes(shards)).then(onlyRow),
    node.read(countLateInserts).then(onlyRow),
  ])
  // A server without replicated tables can lack system.zookeeper.
  const quorums = replicas.tables > 0 ? await readLateQuorums(node, shards) : noLateQuorums
  return { ...replicas, ...known, ...inserts, ...quorums }
}

const noLateQuorums = { lateQuorums: 0, latePart: '' }

/** No value while Keeper does not respond, which makes tables read-only. */
const readLateQuorums = (node: Pick<Database, 'read'>, database: string) =>
  node.read(countLateQuorums(database)).then(onlyRow, (error: unknown) => {
    if (error instanceof Problem) return noLateQuorums
    throw error
  })
