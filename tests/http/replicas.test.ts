import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clickHouseReportWriter } from '../../app/import/reports/clickhouse-report-writer.ts'
import { toInsertLine } from '../../app/import/reports/insert-block.ts'
import { untilInStep } from '../../clickhouse/cluster/in-step.ts'
import { type Cluster, openCluster } from '../../clickhouse/cluster/open-cluster.ts'
import { aReport } from '../../fixtures/reports.ts'
import { type ConnectOptions, connect } from '../../queries/clickhouse/client.ts'
import { countStoredRows } from '../../queries/reports/stored-ids.ts'
import { fakeReplicas } from '../support/fake-replicas.ts'
import { patience } from '../support/patience.ts'

const report = aReport()
const rows = Buffer.from(toInsertLine(report))
const count = countStoredRows([{ tenantId: report.tenantId, receivedAt: report.receivedAt, id: report.id }])

const replicas = fakeReplicas()

const inserts = () => replicas.insertsOf()
const quorums = () => inserts().map((search) => search.get('insert_quorum'))

const ofOneServer = {
  max_replica_delay_for_distributed_queries: null,
  fallback_to_stale_replicas_for_distributed_queries: null,
  skip_unavailable_shards: null,
  select_sequential_consistency: null,
}
const ofCluster = {
  max_replica_delay_for_distributed_queries: '1',
  fallback_to_stale_replicas_for_distributed_queries: '0',
  skip_unavailable_shards: '0',
  select_sequential_consistency: null,
}

const countOf = (replicas: number) => ({ read: async () => replicas, doubt() {} })

describe('settings of', () => {
  test.each<[string, ConnectOptions, object, object]>([
    ['one server', { isCluster: false }, ofOneServer, { insert_quorum: null, insert_quorum_timeout: null }],
    ['a cluster, as the API has it', { isCluster: true }, ofCluster, { insert_quorum: null }],
    [
      'a cluster, with a quorum of every replica',
      { isCluster: true, replicas: countOf(2) },
      ofCluster,
      { insert_quorum: '2', insert_quorum_timeout: '8000', insert_quorum_parallel: null },
    ],
    [
      'a cluster, with a quorum of most replicas',
      { isCluster: true, quorum: 'auto', replicas: countOf(3) },
      { ...ofCluster, select_sequential_consistency: '1' },
      { insert_quorum: '2', insert_quorum_timeout: '8000', insert_quorum_parallel: '0' },
    ],
  ])('%s', async (_, options, ofReads, ofInserts) => {
    const settingsOf = (search: URLSearchParams | undefined, names: object) =>
      Object.fromEntries(Object.keys(names).map((name) => [name, search?.get(name) ?? null]))
    const database = connect(replicas.urls().replace(/,[^/]+/, ''), { ...patience, ...options })
    await database.read(count)
    expect(settingsOf(replicas.state().searches.at(-1), ofReads)).toEqual(ofReads)
    await clickHouseReportWriter(database).write([rows], 'a')
    expect(settingsOf(inserts().at(-1), ofInserts)).toEqual(ofInserts)
    await database.close()
  })
})

describe('a block whose quorum is not complete in time', () => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await openCluster(replicas.urls(), patience)
  })
  afterAll(() => cluster.close())

  const write = () =>
    clickHouseReportWriter(cluster.client, (signal) => untilInStep(cluster, 1, signal)).write([rows], 'a')
  const unknownStatus = (attempt: number) => (attempt === 1 ? '319' : undefined)

  test('is completed without one between two times at which every replica has what the others have', async () => {
    replicas.state().codeOfInsert = unknownStatus
    replicas.state().behind = [[['reports'], ['reports', 'reports_per_day'], [], ['issues'], []], [['reports']]]
    await write()
    expect(quorums()).toEqual(['2', '0'])
    expect(inserts().map((search) => search.get('insert_deduplication_token'))).toEqual(['a', 'a'])
    // A table that was in step is not waited for again.
    expect(replicas.state().behind).toEqual([[], []])
  })

  test('is not sent again before its retry while a replica is gone', async () => {
    replicas.state().codeOfInsert = unknownStatus
    const one = replicas.urls().replace(/,[^/]+/, '')
    const alone = { ...cluster, reopen: () => openCluster(one, patience) }
    const writer = clickHouseReportWriter(cluster.client, (signal) => untilInStep(alone, 1, signal))
    await expect(writer.write([rows], 'a')).rejects.toMatchObject({ code: '319' })
    expect(quorums()).toEqual(['2'])
  })

  test('is not sent again before its retry while a replica has an empty disk', async () => {
    replicas.state().codeOfInsert = unknownStatus
    replicas.state().tables = [40, 0]
    await expect(write()).rejects.toMatchObject({ code: '319' })
    expect(quorums()).toEqual(['2'])
  })

  test('is not whole while a replica is behind after it', async () => {
    replicas.state().codeOfInsert = unknownStatus
    const ended = new AbortController()
    replicas.state().behind = [[], [[], ...Array.from({ length: 5 }, () => ['reports'])]]
    const writer = clickHouseReportWriter(cluster.client, async (signal) => {
      if (inserts().length === 2) ended.abort()
      await untilInStep(cluster, 1, signal)
    })
    await expect(writer.write([rows], 'a', ended.signal)).rejects.toMatchObject({ code: '319' })
    expect(quorums()).toEqual(['2', '0'])
  })

  test.each(['32', '285', '241'])('with the code %s is left to its retry', async (code) => {
    replicas.state().codeOfInsert = () => code
    await expect(write()).rejects.toMatchObject({ code })
    expect(quorums()).toEqual(['2'])
  })
})

describe('an insert while a replica is created', () => {
  const partial = { code: 'upstream_unavailable', cause: { message: expect.stringContaining('lacks views') } }
  const insert = async () => {
    const cluster = await openCluster(replicas.urls(), patience)
    await clickHouseReportWriter(cluster.client)
      .write([rows], 'a')
      .finally(() => cluster.close())
  }

  test('is not sent while the replica lacks views that another has', async () => {
    replicas.state().views = () => [20, 3]
    await expect(insert()).rejects.toMatchObject(partial)
    expect(inserts()).toEqual([])
  })

  test.each([
    ['lacks views', [20, 3]],
    ['has all of them', [20, 20]],
  ])('is repeated by its caller if the replica had no tables before it, and after it %s', async (_, after) => {
    replicas.state().views = (sent) => (sent === 0 ? [20, undefined] : after)
    await expect(insert()).rejects.toMatchObject(partial)
    expect(inserts()).toHaveLength(1)
  })

  test('is whole if the replica has no tables before and after it, or is gone after it', async () => {
    replicas.state().views = () => [20, undefined]
    await insert()
    replicas.state().views = (sent) => (sent === 1 ? [20, 20] : [20, undefined])
    await insert()
    expect(inserts()).toHaveLength(2)
  })
})

describe('a program writes with every replica of a shard,', () => {
  const empty = { replicas: 0, shards: 0 }
  const sound = { replicas: 2, shards: 1 }
  const replaced = { replicas: 1, shards: 1 }
  const states = [
    ...[empty, undefined].flatMap((lost) => [
      ['the first server', [lost, sound]] as const,
      ['the last server', [sound, lost]] as const,
      ['the first server, whose replica is removed', [lost, replaced]] as const,
      ['the last server, whose replica is removed', [replaced, lost]] as const,
    ]),
    ['the replica that is removed', [replaced, replaced]] as const,
  ]
  test.each(states)('started where no list of replicas comes from %s: %j', async (_, sizes) => {
    replicas.state().sizes = [...sizes]
    const cluster = await openCluster(replicas.urls(), patience)
    await clickHouseReportWriter(cluster.client).write([rows], 'a')
    expect({ quorums: quorums(), metric: await cluster.quorum() }).toEqual({ quorums: ['2'], metric: 2 })
    await cluster.close()
  })

  test.each([empty, undefined])('or not at all while no server knows them: %j', async (size) => {
    replicas.state().sizes = [size, size]
    const cluster = await openCluster(replicas.urls(), patience)
    const write = () => clickHouseReportWriter(cluster.client).write([rows], 'a')
    await expect(write()).rejects.toMatchObject({ code: 'upstream_unavailable' })
    await expect(cluster.client.command('INSERT INTO tenants SELECT 1')).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/^Writes are paused because no server lists the replicas of a shard/) },
    })
    await expect(untilInStep(cluster, 1)).rejects.toThrow()
    expect(inserts()).toEqual([])
    replicas.state().sizes = [size, sound]
    await write()
    expect(quorums()).toEqual(['2'])
    await cluster.close()
  })

  test('which it counts again after a failed write, and never fewer', async () => {
    const cluster = await openCluster(replicas.urls(), patience)
    const write = () => clickHouseReportWriter(cluster.client).write([rows], 'a')
    await write()
    for (const [size, quorum] of [
      [{ replicas: 3, shards: 1 }, 3],
      [replaced, 3],
      [empty, 3],
    ] as const) {
      replicas.state().sizes = [size, size]
      replicas.state().codeOfInsert = () => '285'
      await expect(write()).rejects.toMatchObject({ code: '285' })
      replicas.state().codeOfInsert = () => undefined
      await expect.poll(() => cluster.quorum()).toBe(quorum)
      await write()
      expect(quorums().at(-1)).toBe(String(quorum))
    }
    await cluster.close()
  })
})
