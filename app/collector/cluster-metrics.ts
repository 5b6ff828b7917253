import { Gauge, type Registry } from 'prom-client'
import { type NodeHealth, readNodeHealth } from '../../clickhouse/cluster/node-health.ts'
import type { Cluster } from '../../clickhouse/cluster/open-cluster.ts'
import { connect } from '../../queries/clickhouse/client.ts'
import { nodeUrls } from '../../queries/clickhouse/nodes.ts'
import { Problem } from '../../schema/problems.ts'

const ttlMs = 15_000

/** Each is of a node, by its address. */
const gauges: readonly {
  readonly name: string
  readonly help: string
  value(health: NodeHealth, nodes: number): number
}[] = [
  {
    name: 'clickhouse_readonly_tables',
    help: 'Replicated tables without a Keeper session, which reject inserts',
    value: ({ readonlyTables }) => readonlyTables,
  },
  {
    name: 'clickhouse_replica_delay_seconds',
    help: 'Age of the oldest part that the node must fetch',
    value: ({ delaySeconds }) => delaySeconds,
  },
  {
    name: 'clickhouse_parts_to_fetch',
    help: 'Parts that the node must fetch',
    value: ({ fetches }) => fetches,
  },
  {
    name: 'clickhouse_missing_replicas',
    help: 'Replicas registered in Keeper that are not active, or nodes of CLICKHOUSE_URL unknown to the node',
    value: ({ inactiveReplicas, knownNodes }, nodes) => Math.max(inactiveReplicas, nodes - knownNodes, 0),
  },
  {
    name: 'clickhouse_oldest_insert_seconds',
    help: 'Time that the oldest insert has run, without those of a SELECT',
    value: ({ oldestInsertSeconds }) => oldestInsertSeconds,
  },
  {
    name: 'clickhouse_late_quorums',
    help: 'Inserts that have been on too few replicas for over a minute',
    value: ({ lateQuorums }) => lateQuorums,
  },
]

/** Undefined for a node that does not respond; without values if the user has no permission. */
type Found = { readonly health?: NodeHealth } | undefined

/**
 * Metrics of a cluster's nodes, read at a scrape, 15 s apart at least. A node that does not respond is down and has no
 * other. Returns what closes its connections.
 * @param urls as `connect` takes them, as the writer.
 * @param onRefusal called when a node refuses to show its values.
 */
export function addClusterMetrics(
  registry: Registry,
  urls: string,
  { quorum }: Pick<Cluster, 'quorum'>,
  onRefusal: (node: string, error: unknown) => void,
): () => Promise<void> {
  const nodes = nodeUrls(urls).map((url) => {
    const { origin, pathname } = new URL(url)
    return { origin, front: decodeURIComponent(pathname.slice(1)), database: connect(new URL('/', url).href) }
  })
  let readAt = -Infinity
  let found: Promise<ReadonlyMap<string, Found>> = Promise.resolve(new Map())
  const readAll = async () => {
    const all = nodes.map(async ({ origin, front, database }) => {
      const one: Found = await readNodeHealth(database, front).then(
        (health) => ({ health }),
        (error: unknown) => {
          if (error instanceof Problem) return undefined
          onRefusal(origin, error)
          return {}
        },
      )
      return [origin, one] as const
    })
    return new Map(await Promise.all(all))
  }
  const read = () => {
    if (performance.now() - readAt > ttlMs) {
      readAt = performance.now()
      found = readAll()
    }
    return found
  }
  const registers = [registry]
  new Gauge({
    name: 'collector_insert_quorum',
    help: 'Replicas of a shard that have a block when its insert returns; 0 while unknown: then nothing is inserted',
    registers,
    async collect() {
      this.set(await quorum().catch(() => 0))
    },
  })
  new Gauge({
    name: 'clickhouse_node_up',
    help: '1 if the node responds',
    labelNames: ['node'],
    registers,
    async collect() {
      for (const [node, one] of await read()) this.set({ node }, one ? 1 : 0)
    },
  })
  for (const { name, help, value } of gauges) {
    new Gauge({
      name,
      help,
      labelNames: ['node'],
      registers,
      async collect() {
        this.reset()
        for (const [node, one] of await read()) if (one?.health) this.set({ node }, value(one.health, nodes.length))
      },
    })
  }
  return async () => {
    await Promise.all(nodes.map(({ database }) => database.close()))
  }
}
