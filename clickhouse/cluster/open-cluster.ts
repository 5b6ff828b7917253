import { z } from 'zod'
import { type ConnectOptions, connect } from '../../queries/clickhouse/client.ts'
import { quorumOf } from '../../queries/clickhouse/cluster-settings.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { nodeUrls } from '../../queries/clickhouse/nodes.ts'
import type { Query } from '../../queries/sql/query.ts'
import { onlyRow } from '../../queries/sql/rows.ts'
import { sql } from '../../queries/sql/sql.ts'
import { shardDatabase } from './on-cluster.ts'
import { createReplicaCount, measureSize } from './replica-count.ts'

/** A ClickHouse cluster, described by its nodes in CLICKHOUSE_URL. */
export interface Cluster {
  /** Database that clients name. */
  readonly front: string
  /** The whole cluster through any node. */
  readonly client: Database
  /** Nodes that respond. */
  readonly nodes: readonly ClusterNode[]
  /** Reason why each of the other nodes is not used, in one line. */
  readonly missing: readonly string[]
  /** Shards with a node that responds, by number. */
  readonly shards: readonly Shard[]
  /** The others too. */
  readonly shardCount: number
  /** Number of a shard's, servers that are down included. Rejects while no server knows it. */
  replicas(): Promise<number>
  /** Number of replicas that a write waits for. Rejects as `replicas`. */
  quorum(): Promise<number>
  /** The whole cluster, without servers of other shards, so that their faults do not affect its writes. */
  entry(shard: number): Database
  /** Opens it again in its current state. */
  reopen(): Promise<Cluster>
  close(): Promise<void>
}

export interface ClusterNode {
  /** Without user and password. */
  readonly origin: string
  /** Number from 1. */
  readonly shard: number
  readonly macros: Macros
  /** A database on this node; '' for the server, if ours may be missing. */
  use(database: string): Database
}

/** A shard through any of its replicas. */
export interface Shard {
  /** Number from 1. */
  readonly number: number
  /** The whole cluster, seen from its replicas. */
  readonly front: Database
  /** Its own tables. */
  readonly database: Database
}

/** Database for clients, from CLICKHOUSE_URL. */
function frontDatabase(urls: string): string {
  const front = decodeURIComponent(new URL(nodeUrls(urls)[0] ?? '').pathname.slice(1))
  if (front !== '') return front
  throw new Error('CLICKHOUSE_URL must end with a database name, such as /reports')
}

/**
 * Throws an Error of one line if no node responds.
 * @param urls in the form that `connect` accepts.
 * @param onUnavailable called with that line instead, for a program that waits until one does: `reopen` shows its
 * nodes.
 */
export async function openCluster(
  urls: string,
  options: ConnectOptions = {},
  onUnavailable?: (line: string) => void,
): Promise<Cluster> {
  const front = frontDatabase(urls)
  const opened: Database[] = []
  const open = (hosts: readonly string[], database: string, writes: ConnectOptions = {}) => {
    const connection = connect(urlOf(hosts, database), { ...options, isCluster: true, quorum: undefined, ...writes })
    opened.push(connection)
    return connection
  }
  const missing: string[] = []
  const servers = nodeUrls(urls).map((url) => ({ url, use: usedOnce((database) => open([url], database)) }))
  const found = await Promise.all(
    servers.map(async ({ url, use }) => {
      const { origin } = new URL(url)
      try {
        const macros = onlyRow(await use('').read(findMacros))
        return { url, origin, use, macros, shard: shardNumber(macros) }
      } catch (error) {
        const { cause = error } = error as { cause?: unknown }
        missing.push(`${origin}: ${(cause as Error).message}`)
        return undefined
      }
    }),
  )
  const nodes = found.filter((node) => node !== undefined)
  const numbers = [...new Set(nodes.map(({ shard }) => shard))].sort((a, b) => a - b)
  const urlsOf = (number: number) => nodes.filter(({ shard }) => shard === number).map(({ url }) => url)
  const measure = () =>
    measureSize(
      servers.map(({ use }) => use('')),
      shardDatabase(front),
      numbers.length,
    )
  const replicas = createReplicaCount(measure)
  const { quorum } = options
  const cluster: Cluster = {
    front,
    replicas: replicas.read,
    quorum: async () => Number(quorumOf(await replicas.read(), quorum).insert_quorum),
    reopen: () => openCluster(urls, options),
    client: open(nodeUrls(urls), front, { quorum, replicas }),
    entry(shard) {
      const others = nodes.filter((node) => node.shard !== shard).map(({ url }) => url)
      const own = nodeUrls(urls).filter((url) => !others.includes(url))
      return open(own.length > 0 ? own : nodeUrls(urls), front, { quorum, replicas })
    },
    missing,
    nodes,
    shardCount: Math.max((await measure()).shards, numbers.length),
    shards: numbers.map((number) => ({
      number,
      front: open(urlsOf(number), front, { quorum, replicas }),
      database: open(urlsOf(number), shardDatabase(front), { quorum, replicas }),
    })),
    async close() {
      await Promise.all(opened.map((connection) => connection.close()))
    },
  }
  if (nodes.length > 0) return cluster
  const line = `CLICKHOUSE_URL: no node of the cluster can be used: ${missing.join('; ')}`
  if (onUnavailable) {
    onUnavailable(line)
    return cluster
  }
  await cluster.close()
  throw new Error(line)
}

/** One connection to each database. */
function usedOnce(connectTo: (database: string) => Database): (database: string) => Database {
  const connections = new Map<string, Database>()
  return (database) => {
    const connection = connections.get(database) ?? connectTo(database)
    connections.set(database, connection)
    return connection
  }
}

const macroRow = z.object({ shard: z.string(), replica: z.string(), cluster: z.string() })

/** Names of a node's shard and replica, from its server. */
type Macros = z.infer<typeof macroRow>

/** Fails if a macro is missing. */
const findMacros: Query<Macros> = {
  name: 'findMacros',
  statement: sql`SELECT getMacro('shard') AS shard, getMacro('replica') AS replica, getMacro('cluster') AS cluster`,
  row: macroRow,
  pool: 'lookup',
}

function shardNumber({ shard }: Macros): number {
  if (/^0*[1-9]\d*$/.test(shard)) return Number(shard)
  throw new Error(`its macro "shard" must be a number from 1, such as 01, not ${shard}`)
}

/** One URL of several hosts with one user. */
function urlOf(urls: readonly string[], database: string): string {
  const [first, ...others] = urls.map((url) => new URL(url)) as [URL, ...URL[]]
  const credentials = first.username === '' ? '' : `${first.username}:${first.password}@`
  const hosts = [first, ...others].map(({ host }) => host).join(',')
  return `${first.protocol}//${credentials}${hosts}/${database}`
}
