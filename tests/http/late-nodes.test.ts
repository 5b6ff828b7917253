import { afterEach, describe, expect, test } from 'vitest'
import { type Cluster, openCluster } from '../../clickhouse/cluster/open-cluster.ts'
import { prepareCluster } from '../../clickhouse/cluster/prepare-cluster.ts'
import { replicated } from '../../clickhouse/cluster/replicated.ts'
import { type FakeClickHouse, type FakeResponse, startFakeClickHouse, urlOfNodes } from '../support/fake-clickhouse.ts'
import { patience } from '../support/patience.ts'
import { playStatements } from '../support/played-statements.ts'

/** What a node responds to its reads in turn; the last one from then on. */
interface Late {
  readonly nodes?: readonly number[]
  readonly fetches?: readonly number[]
  /** Commands in a database that it refuses before it takes one. */
  readonly lags?: number
}

let cluster: Cluster | undefined
let fakes: FakeClickHouse[] = []
/** Commands that each node refuses yet, and those that it took. */
let lags: number[] = []
let commands: string[][] = []

afterEach(async () => {
  await cluster?.close()
  await Promise.all(fakes.map((fake) => fake.close()))
  fakes = []
})

const lag = 'Cannot enqueue query on this replica, because it has replication lag of 98 queries. Try other replica.'

playStatements(({ origin, text, search }) => {
  const node = fakes.findIndex((fake) => fake.origin === origin)
  // A statement of a database, where CREATE DATABASE is one of the server.
  const isQueued = search.get('database') === 'reports' && !text.startsWith('CREATE DATABASE')
  const left = lags[node] ?? 0
  if (isQueued && left > 0) {
    lags[node] = left - 1
    return { code: 529, message: lag }
  }
  commands[node]?.push(text)
  return 'done'
})

function startNode(shard: string, replica: string, { nodes = [2], fetches = [0] }: Late) {
  const [known, missing] = [[...nodes], [...fetches]]
  const next = (values: number[]) => (values.length > 1 ? values.shift() : values[0])
  return startFakeClickHouse(({ query }): FakeResponse => {
    if (query === 'findMacros') return [{ shard, replica, cluster: 'reports' }]
    if (query === 'measureCluster') return [{ replicas: 0, shards: 0 }]
    if (query === 'countNodes') return [{ nodes: next(known) }]
    if (query === 'countFetches') return [{ fetches: next(missing) }]
    return undefined
  })
}

async function prepare(first: Late, second: Late, timeoutMs = 300_000) {
  lags = [first, second].map(({ lags = 0 }) => lags)
  commands = [[], []]
  fakes = await Promise.all([startNode('01', '1', first), startNode('01', '2', second)])
  cluster = await openCluster(urlOfNodes(fakes), patience)
  const steps: string[] = []
  const wait = {
    onStep: (step: string) => void steps.push(step),
    timeoutMs,
    pollMs: 1,
    stepMs: Number.POSITIVE_INFINITY,
  }
  const [prepared] = await Promise.allSettled([prepareCluster(cluster, replicated, wait)])
  const failure = prepared?.status === 'rejected' ? (prepared.reason as Error).message : undefined
  return { steps, failure, ran: commands.map((texts) => texts.filter((text) => !/DATABASE/.test(text))) }
}

const origin = (index: number) => fakes[index]?.origin

test('nothing is waited for where every node knows all others: the first runs the statements', async () => {
  const { steps, failure, ran } = await prepare({}, {})
  expect({ steps, failure }).toEqual({ steps: [], failure: undefined })
  expect(ran[0]?.map((text) => text.split('\n')[0])).toEqual([
    'CREATE TABLE IF NOT EXISTS tenant_places',
    'CREATE DICTIONARY IF NOT EXISTS tenant_place',
  ])
  expect(ran[1]).toEqual([])
})

describe('a node that learns of another late', () => {
  test('is waited for, and a line names it', async () => {
    const { steps, failure } = await prepare({}, { nodes: [1, 1, 2] })
    expect(failure).toBeUndefined()
    expect(steps).toEqual([
      `Waiting: CLICKHOUSE_URL has 2 nodes, and ${origin(1)} knows 1 of the cluster reports_shard`,
    ])
  })

  test('and never does is named, and nothing is run', async () => {
    const { failure, ran } = await prepare({}, { nodes: [1] }, 20)
    expect(failure).toBe(
      `CLICKHOUSE_URL has 2 nodes, and ${origin(1)} knows 1 of the cluster reports_shard, after 0.02 s: list each node once, see the log of that server, and run the command again`,
    )
    expect(ran).toEqual([[], []])
  })

  test('and knows more than the URL names is refused at once', async () => {
    const { steps, failure } = await prepare({ nodes: [3] }, {})
    expect(steps).toEqual([])
    expect(failure).toBe(
      `CLICKHOUSE_URL has 2 nodes, and ${origin(0)} knows 3 of the cluster reports_shard: list all of them`,
    )
  })
})

describe('a node that lags', () => {
  test('is passed over: another runs the statement', async () => {
    const { steps, failure, ran } = await prepare({ lags: 1_000 }, {})
    expect({ steps, failure, first: ran[0] }).toEqual({ steps: [], failure: undefined, first: [] })
    expect(ran[1]).toHaveLength(2)
  })

  test('is waited for where every other lags too', async () => {
    const { steps, failure, ran } = await prepare({ lags: 3 }, { lags: 1_000 })
    expect(failure).toBeUndefined()
    expect(ran.map((statements) => statements.length)).toEqual([2, 0])
    expect(steps).toEqual([expect.stringContaining(`Waiting: ${origin(0)} does not accept statements yet: `)])
  })

  test('for too long is named with what it waits for', async () => {
    const { failure } = await prepare({ lags: 1_000_000 }, { lags: 1_000_000 }, 20)
    expect(failure).toMatch(
      `${origin(0)} does not accept statements yet: Cannot enqueue query on this replica, because it has replication lag of 98 queries. Try other replica`,
    )
    expect(failure).toMatch(/, after 0\.02 s: see the log of that server and run the command again$/)
  })
})

test('a replaced node is waited for until it has the small tables, as migrations are read from them', async () => {
  const { steps, failure } = await prepare({ fetches: [40, 3, 0] }, {})
  expect(failure).toBeUndefined()
  // A line of each count would be one a second.
  expect(steps).toEqual([`Waiting: ${origin(0)} is fetching the tables of reports, 40 parts left`])
})
