/**
 * @module Replaces a replica whose disk is lost: it is removed from Keeper, and its server creates it again on an empty
 * volume. Each step checks the current state, so an interrupted run can be repeated.
 */

import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { onlyRow, rowCount } from '../../queries/sql/rows.ts'
import { sql, text, texts } from '../../queries/sql/sql.ts'
import { Problem } from '../../schema/problems.ts'
import { dropReplica, findRegistration, type LostReplica, nameOf, registrationsOf } from './drop-replica.ts'
import { type NodeHealth, readNodeHealth } from './node-health.ts'
import { shardDatabase } from './on-cluster.ts'
import type { Cluster, ClusterNode } from './open-cluster.ts'
import { type Wait, waitUntil } from './wait-until.ts'

export interface ReplaceOptions extends Pick<Wait, 'pollMs' | 'stepMs'> {
  open(): Promise<Cluster>
  /** Creates the databases and their tables on a server without any. */
  migrate(cluster: Cluster): Promise<unknown>
  readonly onStep: (step: string) => void
  /** Longest wait for the server to end, and to start. */
  readonly serverTimeoutMs?: number
}

const again = 'run the command again'

/** Throws an Error of one line that names what is missing; every other server must respond. */
export async function replaceReplica(lost: LostReplica, options: ReplaceOptions) {
  const { open, migrate, serverTimeoutMs = 600_000, ...shown } = options
  const steps = { pollMs: 1_000, ...shown }
  const wait: Wait = { ...steps, timeoutMs: serverTimeoutMs }
  let cluster = await open()
  try {
    const { survivor, target } = findNodes(cluster, lost)
    const made = await listDatabases(target, cluster.front)
    const registrations = registrationsOf(cluster.front, survivor, lost)
    for (const registration of registrations) {
      if (!made.includes(registration.database)) await dropReplica(survivor, registration, lost, wait)
    }
    await waitUntil(
      async () => {
        const { target } = findNodes(cluster, lost)
        if (target) return undefined
        const next = await open()
        await cluster.close()
        cluster = next
        return `the server of ${nameOf(lost)} does not respond: start it with an empty volume`
      },
      again,
      wait,
    )
    await refuseOldDisk(cluster, lost)
    steps.onStep('Migrating')
    await migrate(cluster)
    return await untilWhole(cluster, lost, steps)
  } finally {
    await cluster.close()
  }
}

interface Nodes {
  /** Another replica of the shard. */
  readonly survivor: ClusterNode
  /** Undefined while its server does not respond. */
  readonly target: ClusterNode | undefined
}

function findNodes({ nodes, missing }: Cluster, { shard, replica }: LostReplica): Nodes {
  const ofShard = nodes.filter((node) => node.shard === shard)
  const target = ofShard.find((node) => node.macros.replica === replica)
  const survivor = ofShard.find((node) => node !== target)
  if (missing.length > (target ? 0 : 1)) throw new Error(`Every other node must respond: ${missing.join('; ')}`)
  if (!survivor) throw new Error(`No other replica of shard ${shard} responds: its reports exist only in a backup`)
  if (target || missing.length === 1) return { survivor, target }
  const known = ofShard.map((node) => node.macros.replica).join(', ')
  throw new Error(`There is no ${nameOf({ shard, replica })}; the shard has ${known}`)
}

const listDatabasesNamed = (names: readonly string[]): Query<{ name: string }> => ({
  name: 'listDatabasesNamed',
  statement: sql`SELECT name FROM system.databases WHERE name IN ${texts(names)}`,
  row: z.object({ name: z.string() }),
  pool: 'lookup',
})

/** Macros of a responding server. */
async function listDatabases(node: ClusterNode | undefined, front: string): Promise<string[]> {
  const rows = await node?.use('').read(listDatabasesNamed([front, shardDatabase(front)]))
  return (rows ?? []).map(({ name }) => name)
}

/** A server of the old disk whose replica was removed has tables that are read-only for good. */
async function refuseOldDisk(cluster: Cluster, lost: LostReplica): Promise<void> {
  const { survivor, target } = findNodes(cluster, lost)
  const made = await listDatabases(target, cluster.front)
  for (const registration of registrationsOf(cluster.front, survivor, lost)) {
    if (!made.includes(registration.database)) continue
    const [found] = await survivor.use('').read(findRegistration(registration))
    if (!found) throw new Error(`${target?.origin} still has its old disk: stop it, empty its volume, and ${again}`)
  }
}

const countRows = (database: string): Query<{ rows: number }> => ({
  name: 'countRowsOfParts',
  statement: sql`
    SELECT sum(rows) AS rows
    FROM system.parts
    WHERE active AND database = ${text(database)} AND table = 'reports'`,
  row: z.object({ rows: rowCount }),
  pool: 'lookup',
})

/** Waits for the parts without a time limit, and compares the reports with another replica's. */
async function untilWhole(cluster: Cluster, lost: LostReplica, wait: Wait) {
  const { front } = cluster
  const { survivor, target } = findNodes(cluster, lost)
  if (!target) throw new Error(`The server of ${nameOf(lost)} does not respond: ${again}`)
  const [own, other] = [target.use(''), survivor.use('')]
  let health = await readNodeHealth(own, front)
  const findPending = async () => {
    const { tables } = await readNodeHealth(other, front)
    health = await readNodeHealth(own, front)
    return pendingOf(health, tables, target.origin)
  }
  // The parts of a large shard take hours.
  const findPendingAlways = () =>
    findPending().catch((error: unknown) => {
      if (error instanceof Problem) return `${target.origin} or ${survivor.origin} does not respond`
      throw error
    })
  await waitUntil(findPendingAlways, again, { ...wait, timeoutMs: Number.POSITIVE_INFINITY })
  const rowsOf = async (node: Database) => onlyRow(await node.read(countRows(shardDatabase(front)))).rows
  let reports = 0
  await waitUntil(
    async () => {
      const [before, now] = [await rowsOf(other), await rowsOf(own)]
      reports = now
      return before === now ? undefined : `${target.origin} has ${now} reports, but ${survivor.origin} has ${before}`
    },
    'run "doctor"',
    wait,
  )
  return { ...lost, node: target.origin, tables: health.tables, reports }
}

function pendingOf({ tables, readonlyTables, fetches }: NodeHealth, wanted: number, origin: string) {
  if (tables < wanted) return `${origin} has ${tables} of ${wanted} replicated tables`
  if (readonlyTables > 0) return `${origin} has ${readonlyTables} read-only tables`
  return fetches > 0 ? `${origin} fetches ${fetches} parts` : undefined
}
