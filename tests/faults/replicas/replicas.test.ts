import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { untilInStep } from '../../../clickhouse/cluster/in-step.ts'
import { openCluster } from '../../../clickhouse/cluster/open-cluster.ts'
import { replaceReplica } from '../../../clickhouse/cluster/replace-replica.ts'
import { replicated } from '../../../clickhouse/cluster/replicated.ts'
import { assignShard } from '../../../clickhouse/cluster/tenant-shards.ts'
import { migrate } from '../../../clickhouse/migrate.ts'
import { randomReports } from '../../../fixtures/reports.ts'
import { dayMs, minuteMs } from '../../../schema/durations.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { cli } from '../../support/cli.ts'
import { createReplicaPosts, type ReplicaCollector } from '../../support/replica-posts.ts'
import { canReplicate, type Replica, startReplicas, type TestReplicas } from '../../support/replicas.ts'
import type { TestKey } from '../../support/tenants.ts'

/** Kills of servers, and servers replaced. More by hand: REPLICA_KILLS=30 REPLICA_LOSSES=8. */
const kills = Number(process.env.REPLICA_KILLS ?? 4)
const losses = Number(process.env.REPLICA_LOSSES ?? 2)

if (!canReplicate) process.stderr.write('Skipped tests of replicas: they need Linux on x64 and root\n')

const shards = [
  ['11', '12'],
  ['21', '22'],
] as const

describe.skipIf(!canReplicate)('two shards of two replicas', () => {
  let replicas: TestReplicas
  let posts: ReturnType<typeof createReplicaPosts>
  let collector: ReplicaCollector
  let api: TestApi
  /** Of a site of a tenant on each shard. */
  const tokens = [makeSiteToken(), makeSiteToken()] as const
  const tenants: string[] = []
  const keys: TestKey[] = []
  /** CSP violations of each tenant that lie in the past. */
  const violations: number[] = []

  beforeAll(async () => {
    replicas = await startReplicas()
    posts = createReplicaPosts(replicas)
    const [writeUrl, { readUrl }] = [replicas.writeUrl(), replicas]
    api = await startApi({ writeUrl, readUrl, connectOptions: { isCluster: true } })
    for (const [index, token] of tokens.entries()) {
      const tenantId = await api.createTenant({ name: `tenant-${index + 1}` })
      await assignShard(replicas.cluster, tenantId, index + 1)
      const siteIds = [await api.createSite(tenantId, { token, hosts: ['shop.example'] })]
      const span = { from: new Date(Date.now() - 6 * dayMs), to: new Date(Date.now() - 2 * dayMs) }
      const past = randomReports({ count: 300, seed: index + 1, tenantId, siteIds, ...span, retentionDays: 90 })
      await api.insertReports(past)
      violations.push(past.filter(({ reportType }) => reportType === 'csp-violation').length)
      tenants.push(tenantId)
      keys.push(await api.createKey(tenantId))
    }
    collector = await posts.open()
    for (const token of tokens) while ((await collector.post(token)) !== 204) await sleep(500)
    // The API's own inserts have no quorum.
    for (const shard of [1, 2]) await untilInStep(replicas.cluster, shard)
  })
  afterAll(async () => {
    await collector?.close()
    await api?.close()
    await replicas?.end()
    await posts?.removeFolders()
  })

  const until = () => new Date(Date.now() - dayMs).toISOString()
  /** Counts over a window that no response before had. */
  const asRead = async (index: number) => {
    const from = new Date(Date.now() - 7 * dayMs - Math.random() * dayMs).toISOString()
    const { status, body } = await api.get(`/v1/reports/count?from=${from}&to=${until()}`, {
      key: keys[index] as TestKey,
    })
    return { status, count: status === 200 ? body.data.reportCount : undefined }
  }
  const expectCounts = async () => {
    for (const index of keys.keys())
      await expect.poll(() => asRead(index)).toEqual({ status: 200, count: violations[index] })
  }

  const expectRollups = () =>
    expect
      .poll(() => cli(['rollups', 'check'], { environment: { CLICKHOUSE_URL: replicas.writeUrl() } }))
      .toMatchObject({ code: 0, stdout: expect.stringContaining('"different":0') })

  const replace = (lost: Replica, at: (step: 'removed' | 'empty') => Promise<void> = async () => {}) => {
    let started: Promise<void> | undefined
    return replaceReplica(
      { shard: Number(lost[0]), replica: lost[1] as string },
      {
        open: () => openCluster(replicas.writeUrl()),
        async migrate(cluster) {
          await at('empty')
          await migrate(cluster.client, { cluster: { cluster, replication: replicated } })
        },
        onStep(step) {
          if (!started && /start it with an empty volume/.test(step)) {
            started = at('removed').then(() => replicas.start(lost))
          }
        },
        pollMs: 200,
        stepMs: 0,
      },
    ).then((replaced) => started?.then(() => replaced))
  }

  test('servers killed in turn: each 204 is stored once on each replica, and no count is wrong', async () => {
    const wrong: unknown[] = []
    let counts = 0
    const read = async () => {
      for (const index of keys.keys()) {
        const { status, count } = await asRead(index)
        counts++
        if (status !== 503 && count !== violations[index]) wrong.push({ status, count })
      }
    }
    await posts.during(collector, tokens, 20, async () => {
      for (let kill = 0; kill < kills; kill++) {
        const server = (['12', '22', '11', '21'] as const)[kill % 4] as Replica
        await replicas.kill(server)
        await read()
        await sleep(500)
        await replicas.start(server)
        await read()
        await sleep(2_000)
      }
    })
    const counted = await posts.expectStored(...shards)
    expect(wrong).toEqual([])
    await expectCounts()
    await expectRollups()
    process.stderr.write(`${kills} kills: ${JSON.stringify({ ...counted, counts })}\n`)
  })

  test('servers replaced, with collectors started at each moment: no 204 is lost with the next disk', {
    timeout: (losses + 1) * 5 * minuteMs,
  }, async () => {
    const opened: ReplicaCollector[] = []
    const posted: Promise<number>[] = []
    /** With the lost server first in the URL, and last. */
    const openAt = async (lost: Replica) => {
      const others = shards.flat().filter((replica) => replica !== lost)
      for (const order of [[lost, ...others] as const, [...others, lost] as const]) {
        const started = await posts.open(order)
        opened.push(started)
        posted.push(started.post(tokens[Number(lost[0]) - 1] as string))
      }
    }
    for (let loss = 0; loss < losses; loss++) {
      const lost = (['12', '11', '22', '21'] as const)[loss % 4] as Replica
      await replicas.kill(lost)
      await replicas.loseDisk(lost)
      await openAt(lost)
      await posts.during(collector, tokens, 4, async () => {
        const replaced = await replace(lost, () => openAt(lost))
        expect(replaced).toMatchObject({ shard: Number(lost[0]), replica: lost[1] })
      })
      const survivor = (lost[0] + (lost[1] === '1' ? '2' : '1')) as Replica
      replicas.freeze(survivor)
      await openAt(lost).finally(() => replicas.thaw(survivor))
      await Promise.all(posted)
      for (const started of opened.splice(0)) {
        await expect.poll(() => started.post(tokens[Number(lost[0]) - 1] as string)).toBe(204)
        await started.close()
      }
    }
    const counted = await posts.expectStored(...shards)
    await expectRollups()
    process.stderr.write(`${losses} replacements: ${JSON.stringify(counted)}\n`)
  })

  test('a replica that fetches nothing: a 204 is on the other and in the folder, and then on both', async () => {
    await replicas.ask('12', 'SYSTEM STOP FETCHES')
    const status = await collector.post(tokens[0]).finally(() => replicas.ask('12', 'SYSTEM START FETCHES'))
    expect(status).toBe(204)
    await expectCounts()
    await posts.expectStored(...shards)
  })

  test('a coordinator of three that does not respond: reads go on, and so do writes', async () => {
    const pauses: number[] = []
    for (const keeper of ['keeper-1', 'keeper-2', 'keeper-3'] as const) {
      replicas.freeze(keeper)
      try {
        await expectCounts()
        for (const token of tokens) {
          const startedAt = performance.now()
          await expect.poll(() => collector.post(token)).toBe(204)
          pauses.push(Math.round(performance.now() - startedAt))
        }
      } finally {
        replicas.thaw(keeper)
      }
    }
    process.stderr.write(`Waits of posts with one coordinator frozen, in ms: ${pauses.join(', ')}\n`)
    await posts.expectStored(...shards)
  })

  test('a tenant is moved under posts, and is whole on each replica of its shard', async () => {
    const [tenantId = ''] = tenants
    const environment = { CLICKHOUSE_URL: replicas.writeUrl() }
    let moved: Awaited<ReturnType<typeof cli>> | undefined
    await posts.during(collector, tokens, 5, async () => {
      moved = await cli(['tenants', 'move', '--tenant', tenantId, '--shard', '2'], { environment })
    })
    expect(moved).toMatchObject({ code: 0, stdout: expect.stringContaining('"shard":2') })
    await expectCounts()
    await posts.expectStored(...shards)
    await expectRollups()
    for (const [from, [left]] of [
      ['11', ['0']],
      ['22', ['300']],
    ] as const) {
      const rows = await replicas.ask(
        from,
        `SELECT count() FROM reports WHERE tenant_id = '${tenantId}' AND received_at < now() - INTERVAL 1 DAY`,
      )
      expect(String(rows[0]?.[0])).toBe(left)
    }
  })

  test('each command of the pages', async () => {
    const CLICKHOUSE_URL = replicas.writeUrl()
    const [tenantId = ''] = tenants
    const done = async (environment: Record<string, string>, ...args: string[]) => {
      const { code, stdout, stderr } = await cli(args, { environment: { CLICKHOUSE_URL, ...environment } })
      expect({ args, code, stderr }).toMatchObject({ code: 0 })
      return stdout
    }
    expect(await done({}, 'migrate')).toBe('{"applied":[]}\n')
    expect(await done({}, 'doctor')).toMatch(/inserts return once 2 of the 2 replicas of the shard have them/)
    expect(await done({ CLICKHOUSE_QUORUM: 'auto' }, 'doctor')).toMatch(/inserts return once 2 of the 2 replicas/)
    expect(JSON.parse(await done({}, 'tenants', 'place', '--tenant', tenantId))).toMatchObject({ shard: 2 })
    expect(JSON.parse(await done({}, 'tenants', 'balance', '--plan')).shards).toHaveLength(2)
    expect(await done({}, 'rollups', 'check')).toMatch(/"different":0/)
    await done({}, 'rollups', 'rebuild', '--force')
    expect(await done({}, 'rollups', 'check')).toMatch(/"different":0/)
    for (const [first, second] of shards) {
      const name = `test-${first}`
      for (const statement of [
        `BACKUP DATABASE reports_shard, DATABASE reports TO File('${name}')`,
        'SYSTEM SYNC REPLICA reports_shard.reports',
      ])
        await replicas.ask(second, statement)
    }
    await done({}, 'tenants', 'delete', '--tenant', tenantId, '--confirm', 'tenant-1')
    for (const replica of shards.flat()) {
      expect(await replicas.ask(replica, `SELECT count() FROM reports WHERE tenant_id = '${tenantId}'`)).toEqual([[0]])
    }
  })
})
