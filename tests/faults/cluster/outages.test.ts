import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { type Cluster, openCluster } from '../../../clickhouse/cluster/open-cluster.ts'
import { assignShard } from '../../../clickhouse/cluster/tenant-shards.ts'
import { migrate } from '../../../clickhouse/migrate.ts'
import { readMigrations } from '../../../clickhouse/migration-files.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { randomReports } from '../../../fixtures/reports.ts'
import { nodeUrls } from '../../../queries/clickhouse/nodes.ts'
import { dayMs } from '../../../schema/durations.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { cli } from '../../support/cli.ts'
import { startCluster, type TestCluster, unreplicated } from '../../support/cluster.ts'
import { startTestCollector } from '../../support/collector.ts'
import { reportRequest, send, storedOf, temporaryFolders } from '../../support/collector-posts.ts'
import { startTestEngine } from '../../support/engine.ts'
import { expectUnavailable, startFaultServer } from '../../support/faults.ts'
import { freezeProcess } from '../../support/freeze-process.ts'
import { patience } from '../../support/patience.ts'
import { createSlowView } from '../../support/slow-view.ts'
import type { TestKey } from '../../support/tenants.ts'

let own: TestCluster
let api: TestApi
let keys: readonly [TestKey, TestKey]
/** Of a site of each tenant. */
const tokens = [makeSiteToken(), makeSiteToken()] as const
const folders = temporaryFolders()

beforeAll(async () => {
  own = await startCluster({ isMigrated: false })
})
afterAll(async () => {
  await api?.close()
  await own?.end()
  await folders.remove()
})

/** A line for each thing that is waited for. */
const wait = { timeoutMs: 300_000, stepMs: Number.POSITIVE_INFINITY }

const options = (cluster: Cluster) => ({ cluster: { cluster, replication: unreplicated, wait } })

describe('migrate', () => {
  test('runs by two at once, and once more', async () => {
    const second = await openCluster(own.writeUrl, patience)
    const applied = await Promise.all([
      migrate(own.cluster.client, options(own.cluster)),
      migrate(second.client, options(second)),
    ])
    await second.close()
    const names = (await readMigrations()).map(({ name }) => name)
    expect(new Set(applied.flat())).toEqual(new Set(names))
    expect(await migrate(own.cluster.client, options(own.cluster))).toEqual([])
  })

  test('refuses a URL that lacks a node of the cluster', async () => {
    const { href } = new URL(own.writeUrl.replace(/,[^/]+/, ''))
    const one = await openCluster(href, patience)
    await expect(migrate(one.client, options(one))).rejects.toThrow(
      /^CLICKHOUSE_URL has 1 nodes, and http:\/\/127\.0\.0\.1:\d+ knows 2 of the cluster default_shard: list all of them$/,
    )
    await one.close()
  })

  test('waits for a node that learns of another late, and says so', async () => {
    const [first = '', second = ''] = nodeUrls(own.writeUrl)
    const late = await startFaultServer(second)
    let knows = 0
    const onlyItself = async () =>
      knows++ < 3 ? Response.json({ meta: [{ name: 'nodes', type: 'UInt64' }], data: [[1]], rows: 1 }) : undefined
    late.inject(onlyItself, (query) => query === 'countNodes')
    const { host } = new URL(late.url)
    const two = await openCluster(`${first.slice(0, first.lastIndexOf('/'))},${host}/default`, patience)
    const steps: string[] = []
    const given = { ...options(two), onStep: (step: string) => void steps.push(step) }
    expect(await migrate(two.client, given)).toEqual([])
    expect(steps).toEqual([
      `Waiting: CLICKHOUSE_URL has 2 nodes, and http://${host} knows 1 of the cluster default_shard`,
    ])
    await two.close()
    await late.close()
  })

  test('refuses a server without macros, in one line', async () => {
    const engine = await startTestEngine()
    const environment = { CLICKHOUSE_URL: engine.userUrls.writer, CLICKHOUSE_CLUSTER: '1' }
    const { code, stderr } = await cli(['migrate'], { environment })
    await engine.end()
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^CLICKHOUSE_URL: no node of the cluster can be used: http:\S+: .*No macro shard in config.*\n$/,
    )
  })
})

const path = '/v1/reports/count'

describe('with one node frozen', () => {
  beforeAll(async () => {
    api = await startApi({ ...own, connectOptions: { ...patience, aliveTimeoutMs: 5_000 } })
    const made = [1, 2].map(async (shard) => {
      const tenantId = await api.createTenant()
      await assignShard(own.cluster, tenantId, shard)
      const site = { token: tokens[shard - 1] as string, hosts: ['a.test', 'shop.example'] }
      const siteIds = [await api.createSite(tenantId, site)]
      const span = { from: new Date(Date.now() - 5 * dayMs), to: new Date() }
      await api.insertReports(randomReports({ count: 200, seed: 1, tenantId, siteIds, ...span, retentionDays: 90 }))
      return api.createKey(tenantId)
    })
    keys = (await Promise.all(made)) as [TestKey, TestKey]
    const alive = await Promise.all(keys.map((key) => api.get(path, { key })))
    for (const { status, body } of alive) {
      expect(status).toBe(200)
      expect(body.data.reportCount).toBeGreaterThan(0)
    }
  })

  test('tenants of the other shard get their responses from the other node', async () => {
    const pid = own.engines[0]?.pid() as number
    freezeProcess(pid)
    try {
      for (let request = 0; request < 3; request++) {
        const from = new Date(Date.now() - (request + 2) * dayMs).toISOString()
        expect(await api.get(`${path}?from=${from}`, { key: keys[1] })).toMatchObject({ status: 200 })
      }
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    const statusOfOther = async () => (await api.get(path, { key: keys[0] })).status
    await expect.poll(statusOfOther).toBe(200)
  })
})

test('a shard killed between a block’s part and its views: the block is completed, and never set aside', async () => {
  const view = await createSlowView(own.shardDatabase(2))
  const folder = await folders.make()
  // The first server takes the insert, and sends it on.
  const environment = { CLICKHOUSE_URL: own.writeUrl, CLICKHOUSE_CLUSTER: '1', DATA_DIR: folder }
  const collector = await startTestCollector(environment)
  const post = (page: string) => send(() => fetch(`${collector.url}/r/${tokens[1]}`, reportRequest(page)))
  const { page, posted } = await view.halfStored(post)
  process.kill(own.engines[1]?.pid() as number, 'SIGKILL')
  expect((await posted).status).toBe(204)
  await collector.drained()
  expect((await readdir(join(folder, 'collector'))).filter((name) => name.endsWith('.refused'))).toEqual([])
  // The first server's connection to the shard may be of before the kill.
  await expect.poll(async () => [await storedOf(own.cluster.client, page), await view.count(page)]).toEqual([[1], 1])
  for (const { database } of own.cluster.shards) {
    await expect.poll(() => checkRollups(database)).toMatchObject({ different: 0 })
  }
  await collector.close()
})

describe('with one shard dead', () => {
  beforeAll(() => own.engines[1]?.stop())

  test('its tenants get a 503, and the others their responses', async () => {
    for (let request = 0; request < 5; request++) {
      const query = `${path}?from=${new Date(Date.now() - (request + 2) * dayMs).toISOString()}`
      expectUnavailable(await api.get(query, { key: keys[1] }))
      expect(await api.get(query, { key: keys[0] })).toMatchObject({ status: 200 })
    }
  })

  test('keys are found that were never used before', async () => {
    const tenantId = (await api.get('/v1/me', { key: keys[0] })).body.data.tenant.id
    expect(tenantId).toMatch(/^[0-9a-f-]{36}$/)
    expect(await api.get('/v1/me', { key: { key: 'srk_live_unknown' } })).toMatchObject({ status: 401 })
  })

  test('the collector takes posts of both shards, and stores those of the other', async () => {
    const environment = { CLICKHOUSE_URL: own.writeUrl, CLICKHOUSE_CLUSTER: '1' }
    const collector = await startTestCollector(environment, { waits: false })
    const pages = ['https://a.test/dead-1', 'https://a.test/alive-1', 'https://a.test/dead-2', 'https://a.test/alive-2']
    for (const [index, page] of pages.entries()) {
      const post = () => fetch(`${collector.url}/r/${tokens[index % 2 === 0 ? 1 : 0]}`, reportRequest(page))
      expect(await send(post)).toMatchObject({ status: 204 })
    }
    const stored = () => storedOf(own.shardDatabase(1), pages[1] ?? '', pages[3] ?? '')
    await expect.poll(stored).toEqual([1, 1])
    expect((await fetch(`${collector.url}/readyz`)).status).toBe(200)
    await collector.close()
  })

  test('an API that starts serves the other shard', async () => {
    const another = await startApi(own)
    expect(await another.get(path, { key: keys[0] })).toMatchObject({ status: 200 })
    expectUnavailable(await another.get(path, { key: keys[1] }))
    await another.close()
  })

  test('commands about every shard say which node is missing, in one line', async () => {
    const environment = { CLICKHOUSE_URL: own.writeUrl }
    for (const words of [['rollups', 'check'], ['doctor']]) {
      const { code, stdout, stderr } = await cli(words, { environment })
      expect(code).not.toBe(0)
      expect(stdout + stderr).toMatch(/respond.*http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/)
    }
  })
})
