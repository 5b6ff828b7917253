/** @module Checks of inserts and of a cluster's replicas. ClickHouse shows them only to the writer. */

import { countLateInserts, lateMs, type NodeHealth, readNodeHealth } from '../../../clickhouse/cluster/node-health.ts'
import { onlyRow } from '../../../queries/sql/rows.ts'
import type { DatabaseAccess } from '../../program/open-database.ts'
import type { Check } from './check.ts'
import { ofEachServer } from './of-each-server.ts'
import { unlessDenied } from './unless-denied.ts'

const noCluster = 'none: a single server'
/** Age of the oldest missing part above which a replica is behind. */
const behindSeconds = 60

/** @param find checks one node, given its address; throws if something is wrong. */
async function ofEachNode(
  { cluster }: DatabaseAccess,
  find: (health: NodeHealth, origin: string) => void,
  sound: (nodes: number) => string | Promise<string>,
): Promise<string> {
  if (!cluster) return noCluster
  return unlessDenied(async () => {
    for (const { use, origin } of cluster.nodes) find(await readNodeHealth(use(''), cluster.front), origin)
    return sound(cluster.nodes.length)
  })
}

export const replicas: Check = {
  name: 'replicas',
  fix: 'start the servers and Keepers that are down; wait while a replica fetches; for a new server run "migrate", for a lost disk "cluster replace"',
  async run({ database }) {
    const access = await database()
    const nodes = access.cluster?.nodes.length ?? 0
    let tables: number | undefined
    return ofEachNode(
      access,
      (health, origin) => {
        const fault = faultOf(health, nodes, tables)
        if (fault !== undefined) throw new Error(`${origin} ${fault}`)
        tables = health.tables
      },
      (count) => `${count} servers have ${tables ?? 0} replicated tables each, and no replica is behind`,
    )
  },
}

/** @param tables of the node before. */
function faultOf(health: NodeHealth, nodes: number, tables = health.tables): string | undefined {
  const { readonlyTables, delaySeconds, fetches, inactiveReplicas, knownNodes } = health
  if (readonlyTables > 0) return `has ${readonlyTables} read-only tables: it has no Keeper session`
  if (knownNodes < nodes) return `lists ${knownNodes} of the ${nodes} nodes in CLICKHOUSE_URL`
  if (health.tables !== tables) return `has ${health.tables} replicated tables, but another server has ${tables}`
  if (inactiveReplicas > 0) return `has ${inactiveReplicas} inactive replicas`
  if (delaySeconds > behindSeconds) return `is ${delaySeconds} s behind, with ${fetches} parts to fetch`
  return undefined
}

export const quorums: Check = {
  name: 'quorums',
  fix: 'if no server lists the replicas, run "migrate"; if a replica is down, start it; if a replica was replaced and posts to its shard get 503, restart the servers of the shard one by one to end their Keeper sessions',
  async run({ database }) {
    const access = await database()
    return ofEachNode(
      access,
      ({ lateQuorums, latePart }, origin) => {
        if (lateQuorums === 0) return
        throw new Error(
          `${lateQuorums} inserts by ${origin} have been on too few replicas for over ${lateMs / 1000} s, the first ${latePart}`,
        )
      },
      async () => {
        const [quorum, all] = await Promise.all([access.cluster?.quorum(), access.cluster?.replicas()])
        return `inserts return once ${quorum} of the ${all} replicas of the shard have them, and no insert is late`
      },
    )
  },
}

export const inserts: Check = {
  name: 'inserts',
  fix: 'run the previous checks as the writer; end an insert with KILL QUERY, and its block is sent again. Moving or copying a large tenant also runs long inserts',
  async run({ database }) {
    return unlessDenied(async () => {
      await ofEachServer(await database(), async (server, url) => {
        const { lateInserts, oldestInsertSeconds } = onlyRow(await server.read(countLateInserts))
        if (lateInserts === 0) return
        throw new Error(
          `${lateInserts} inserts at ${url} have run for over ${lateMs / 1000} s, the longest for ${oldestInsertSeconds} s`,
        )
      })
      return `no insert has run for over ${lateMs / 1000} s`
    })
  },
}
