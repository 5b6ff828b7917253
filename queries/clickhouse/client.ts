import { clusterReads, clusterWrites, majorityReads, quorumOf, type ReplicaCount } from './cluster-settings.ts'
import type { Database, DatabaseObserver } from './database.ts'
import { createNodes, nodeUrls } from './nodes.ts'
import { openNode } from './open-node.ts'
import { type QueryPools, queryPools } from './query-pools.ts'
import { readsOn } from './reads.ts'
import { killOn, statementsOn } from './statements.ts'
import { insertWhole } from './whole-inserts.ts'

export interface ConnectOptions {
  /** True if the URL is a cluster; by default if it has several hosts. */
  readonly isCluster?: boolean
  /** Replicas of a shard that a write waits for: more than half of them, or all by default. */
  readonly quorum?: 'auto' | undefined
  /** Replicas of a shard. Without it a write waits for no replica. */
  readonly replicas?: ReplicaCount
  /**
   * True for the API: as the reader, a read without a tenant in its origin gets no tenant's rows, unless its query is of
   * every tenant.
   */
  readonly isOfRequests?: boolean
  readonly pools?: QueryPools
  /** Timeout of a ping, so that reads fail within a second while ClickHouse is frozen. */
  readonly aliveTimeoutMs?: number
  readonly pingTimeoutMs?: number
  /** Wait of an export for a slot in its pool. */
  readonly exportWaitMs?: number
}

/** @param url `http(s)://user:password@host:port/database`; of a cluster, its nodes as hosts separated by commas. */
export function connect(url: string, { quorum, replicas, ...options }: ConnectOptions = {}): Database {
  const urls = nodeUrls(url)
  const { isCluster = urls.length > 1, isOfRequests = false, pools = queryPools } = options
  const { aliveTimeoutMs = 800, pingTimeoutMs = 2_000, exportWaitMs = 10_000 } = options
  const settingsOfReads = isCluster ? { ...clusterReads, ...(quorum === 'auto' && majorityReads) } : {}
  const settings = { ...settingsOfReads, ...(isCluster && clusterWrites) }
  const connections = urls.map((url) => openNode(url, settings))
  const nodes = createNodes(connections, {
    isAlive: ({ ping }) => ping(aliveTimeoutMs),
    isInStep: (node) => node.isInStep('its database', aliveTimeoutMs),
  })
  const areInStep = async () => {
    if (connections.length === 1) throw new Error('The nodes of the cluster are unknown')
    const found = await Promise.all(connections.map((node) => node.isInStep('every database', aliveTimeoutMs)))
    return found.every(Boolean)
  }
  let observer: DatabaseObserver = {}
  return {
    ...readsOn(nodes, {
      pools,
      aliveTimeoutMs,
      exportWaitMs,
      areInStep,
      isOfRequests,
      settings: settingsOfReads,
      observer: () => observer,
    }),
    ...statementsOn(nodes, {
      settings: async () => (replicas ? quorumOf(await replicas.read(), quorum) : {}),
      onFault: () => replicas?.doubt(),
      insert: (insert) =>
        replicas
          ? insertWhole(() => Promise.all(connections.map((node) => node.countViews(pingTimeoutMs))), insert)
          : insert(),
    }),
    killQuery: killOn(connections, aliveTimeoutMs),
    async ping() {
      const responses = await Promise.all(connections.map(({ ping }) => ping(pingTimeoutMs)))
      return responses.some(Boolean)
    },
    observe(replacement) {
      observer = replacement
    },
    async close() {
      observer = {}
      await Promise.all(connections.map(({ close }) => close()))
    },
  }
}
