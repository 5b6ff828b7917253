import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Check } from '../../app/cli/doctor/check.ts'
import { inserts, quorums, replicas } from '../../app/cli/doctor/check-replicas.ts'
import { addClusterMetrics } from '../../app/collector/cluster-metrics.ts'
import type { Config } from '../../app/config.ts'
import type { DatabaseAccess } from '../../app/program/open-database.ts'
import { type Cluster, openCluster } from '../../clickhouse/cluster/open-cluster.ts'
import { type FakeClickHouse, type FakeResponse, startFakeClickHouse, urlOfNodes } from '../support/fake-clickhouse.ts'
import { patience } from '../support/patience.ts'

const sound = {
  summariseReplicas: { tables: 37, readonlyTables: 0, delaySeconds: 0, fetches: 0, inactiveReplicas: 0 },
  countKnownNodes: { knownNodes: 2 },
  countLateInserts: { lateInserts: 0, oldestInsertSeconds: 2 },
  countLateQuorums: { lateQuorums: 0, latePart: '' },
}
type Values = Readonly<Record<string, unknown>>

/** Of the second node. */
let rows: Record<string, Values>
let refusal: FakeResponse
let fakes: readonly FakeClickHouse[]
let cluster: Cluster

const startNode = (replica: string, rowsOf: () => Record<string, Values>) =>
  startFakeClickHouse(({ query }): FakeResponse => {
    if (query === 'findMacros') return [{ shard: '01', replica, cluster: 'reports' }]
    if (query === 'measureCluster') return [{ replicas: 2, shards: 1 }]
    const row = rowsOf()[query]
    return refusal ?? (row ? [row] : undefined)
  })

beforeEach(async () => {
  rows = { ...sound }
  refusal = undefined
  fakes = await Promise.all([startNode('1', () => sound), startNode('2', () => rows)])
  cluster = await openCluster(urlOfNodes(fakes), patience)
})
afterEach(async () => {
  await cluster.close()
  await Promise.all(fakes.map((fake) => fake.close()))
})

const second = () => fakes[1]?.origin as string

const run = ({ run }: Check, access: Partial<DatabaseAccess> = { cluster }) =>
  run({ config: () => ({}) as Config, database: async () => access as DatabaseAccess })

const change = (query: keyof typeof sound, values: Values) => {
  rows = { ...sound, [query]: { ...sound[query], ...values } }
}

describe('doctor', () => {
  test('finds a sound cluster', async () => {
    expect(await run(replicas)).toBe('2 servers have 37 replicated tables each, and no replica is behind')
    expect(await run(quorums)).toBe(
      'inserts return once 2 of the 2 replicas of the shard have them, and no insert is late',
    )
    expect(await run(inserts)).toBe('no insert has run for over 60 s')
  })

  test.each([
    [{ readonlyTables: 3 }, 'has 3 read-only tables: it has no Keeper session'],
    [{ inactiveReplicas: 1 }, 'has 1 inactive replicas'],
    [{ delaySeconds: 61, fetches: 9 }, 'is 61 s behind, with 9 parts to fetch'],
    [{ tables: 36 }, 'has 36 replicated tables, but another server has 37'],
  ])('names a node whose replicas have %j', async (values, fault) => {
    change('summariseReplicas', values)
    await expect(run(replicas)).rejects.toThrow(`${second()} ${fault}`)
  })

  test('names a node that lists fewer nodes than CLICKHOUSE_URL', async () => {
    change('countKnownNodes', { knownNodes: 1 })
    await expect(run(replicas)).rejects.toThrow(`${second()} lists 1 of the 2 nodes in CLICKHOUSE_URL`)
  })

  test('names a node whose insert has too few replicas', async () => {
    change('countLateQuorums', { lateQuorums: 2, latePart: 'all_172_172_0' })
    await expect(run(quorums)).rejects.toThrow(
      `2 inserts by ${second()} have been on too few replicas for over 60 s, the first all_172_172_0`,
    )
  })

  test('names a server whose insert runs for long, of one server too', async () => {
    change('countLateInserts', { lateInserts: 17, oldestInsertSeconds: 170 })
    const fault = `17 inserts at ${second()} have run for over 60 s, the longest for 170 s`
    await expect(run(inserts)).rejects.toThrow(fault)
    const writer = cluster.nodes[1]?.use('')
    await expect(run(inserts, { writer, url: second() } as Partial<DatabaseAccess>)).rejects.toThrow(fault)
  })

  test('has nothing to check of replicas on one server', async () => {
    for (const check of [replicas, quorums]) expect(await run(check, {})).toBe('none: a single server')
  })

  test('says where its user may not see them', async () => {
    refusal = { code: 497, message: 'reader: Not enough privileges' }
    for (const check of [replicas, quorums, inserts])
      expect(await run(check)).toMatch(/^not checked: .* run doctor with the collector's URL$/)
  })

  test('fails where a node does not respond', async () => {
    refusal = { code: 210, message: 'it failed' }
    for (const check of [replicas, quorums, inserts]) await expect(run(check)).rejects.toThrow()
  })
})

describe('metrics of the collector', () => {
  const refusals: string[] = []
  /** By name and number of the node. */
  async function scrape(): Promise<Record<string, number>> {
    const registry = new Registry()
    const close = addClusterMetrics(registry, urlOfNodes(fakes), cluster, (node) => refusals.push(node))
    const text = await registry.metrics()
    await close()
    const numberOf = (node: string) => fakes.findIndex(({ origin }) => origin === node) + 1
    expect(text).toContain('\ncollector_insert_quorum 2\n')
    const samples = [...text.matchAll(/^(\w+)\{node="(.*)"\} (\S+)$/gm)]
    return Object.fromEntries(
      samples.map(([, name, node, value]) => [`${name} ${numberOf(String(node))}`, Number(value)]),
    )
  }

  test('have what a sound cluster has', async () => {
    const zeros = ['readonly_tables', 'replica_delay_seconds', 'parts_to_fetch', 'missing_replicas', 'late_quorums']
    const expected = [1, 2].flatMap((node) => [
      [`clickhouse_node_up ${node}`, 1],
      [`clickhouse_oldest_insert_seconds ${node}`, 2],
      ...zeros.map((name) => [`clickhouse_${name} ${node}`, 0]),
    ])
    expect(await scrape()).toEqual(Object.fromEntries(expected))
  })

  test.each([
    ['clickhouse_readonly_tables', 'summariseReplicas', { readonlyTables: 3 }, 3],
    ['clickhouse_replica_delay_seconds', 'summariseReplicas', { delaySeconds: 90 }, 90],
    ['clickhouse_parts_to_fetch', 'summariseReplicas', { fetches: 12 }, 12],
    ['clickhouse_missing_replicas', 'summariseReplicas', { inactiveReplicas: 1 }, 1],
    ['clickhouse_missing_replicas', 'countKnownNodes', { knownNodes: 1 }, 1],
    ['clickhouse_oldest_insert_seconds', 'countLateInserts', { oldestInsertSeconds: 170 }, 170],
    ['clickhouse_late_quorums', 'countLateQuorums', { lateQuorums: 2 }, 2],
  ] as const)('%s is of the node whose %s has %j', async (name, query, values, expected) => {
    const { [`${name} 1`]: before } = await scrape()
    change(query, values)
    expect(await scrape()).toMatchObject({ [`${name} 1`]: before, [`${name} 2`]: expected })
  })

  test('have a node that is down as down, and nothing else of it', async () => {
    await fakes[1]?.close()
    const found = await scrape()
    expect(found).toMatchObject({ 'clickhouse_node_up 1': 1, 'clickhouse_node_up 2': 0 })
    expect(Object.keys(found).filter((name) => name.endsWith(' 2'))).toEqual(['clickhouse_node_up 2'])
  })

  test('have a node whose user may not see its replicas as up, and report that', async () => {
    refusal = { code: 497, message: 'writer: Not enough privileges' }
    expect(await scrape()).toEqual({ 'clickhouse_node_up 1': 1, 'clickhouse_node_up 2': 1 })
    expect(refusals.sort()).toEqual(fakes.map(({ origin }) => origin).sort())
  })
})
