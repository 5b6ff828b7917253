import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Cluster, openCluster } from '../../clickhouse/cluster/open-cluster.ts'
import { type FakeClickHouse, type FakeResponse, startFakeClickHouse, urlOfNodes } from '../support/fake-clickhouse.ts'
import { patience } from '../support/patience.ts'
import { playStatements } from '../support/played-statements.ts'

let cluster: Cluster
let fakes: readonly FakeClickHouse[]
/** Index of the node of each write. */
let writes: number[]

playStatements(({ origin }) => {
  writes.push(fakes.findIndex((fake) => fake.origin === origin))
  return 'done'
})

const startNode = (shard: string) =>
  startFakeClickHouse(({ query }): FakeResponse => {
    if (query === 'findMacros') return [{ shard, replica: '1', cluster: 'reports' }]
    return query === 'measureCluster' ? [{ replicas: 1, shards: 2 }] : undefined
  })

beforeEach(async () => {
  writes = []
  fakes = await Promise.all([startNode('01'), startNode('02')])
  cluster = await openCluster(urlOfNodes(fakes), patience)
})
afterEach(async () => {
  await cluster.close()
  await Promise.all(fakes.map((fake) => fake.close()))
})

test('writes of a shard enter at its own servers', async () => {
  for (const shard of [2, 1]) await cluster.entry(shard).command('INSERT INTO reports')
  expect(writes).toEqual([1, 0])
})

test('those of a shard that no server was found of enter at any', async () => {
  await cluster.entry(3).command('INSERT INTO reports')
  expect(writes).toHaveLength(1)
})
