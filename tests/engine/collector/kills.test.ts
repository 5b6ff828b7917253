import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { versionOf } from '../../support/collector-posts.ts'
import { queryRows } from '../../support/database.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { startRedis } from '../../support/redis.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'
import { createTenantWriter } from '../../support/tenants.ts'

/** Rounds of one to three kills or freezes: `COLLECTOR_KILLS=30 npm test -- tests/engine/collector/kills.test.ts`. */
const wantedKills = Number(process.env.COLLECTOR_KILLS ?? 5)
const seed = Number(process.env.COLLECTOR_KILLS_SEED ?? 1)

interface Post {
  readonly url: string
  /** Undefined if the connection broke. */
  readonly status: number | undefined
}

test('collector, engine and Redis killed under load: every post that was 204 is stored once', async () => {
  const random = seeded(seed)
  const folder = await mkdtemp(join(tmpdir(), 'kills-'))
  const [engine, redis] = await Promise.all([startMigratedEngine(), startRedis()])
  const database = connectPatiently(engine.userUrls.writer)
  let collector: SpawnedScript | undefined
  let collectorUrl = ''

  /** As a supervisor would: it ends where ClickHouse does not respond at the start. */
  async function startCollector(): Promise<void> {
    collector = undefined
    while (!collector) {
      const started = spawnScript('app/collect.ts', [], {
        DATA_DIR: folder,
        COLLECTOR_PORT: '0',
        LOG_LEVEL: 'silent',
        SITE_POSTS_PER_MINUTE: '1000000',
        CLICKHOUSE_URL: engine.userUrls.writer,
        REDIS_URL: redis.url,
      })
      const printed = await started.printed(/(http:\S+)\/r\//).catch(() => undefined)
      if (!printed) continue
      collectorUrl = printed[1] as string
      collector = started
    }
  }

  async function freeze(pid: number): Promise<void> {
    process.kill(pid, 'SIGSTOP')
    await sleep(200 + random.below(2_000))
    process.kill(pid, 'SIGCONT')
  }

  const frozen = {
    collector: () => freeze((collector as SpawnedScript).child.pid as number),
    engine: () => freeze(engine.pid() as number),
    redis: () => freeze(redis.pid),
  }

  const kill = {
    async collector() {
      const killed = collector as SpawnedScript
      killed.child.kill('SIGKILL')
      await killed.ended()
      await startCollector()
    },
    async engine() {
      process.kill(engine.pid() as number, 'SIGKILL')
      await expect.poll(() => database.ping()).toBe(true)
    },
    async redis() {
      await redis.kill()
      await sleep(random.below(500))
      await redis.restart()
    },
  }

  try {
    const writer = createTenantWriter(database)
    const [tenantId, token] = [await writer.createTenant(), makeSiteToken()]
    await writer.createSite(tenantId, { hosts: ['shop.example'], token })
    await startCollector()

    const posts: Post[] = []
    let isOver = false
    let sent = 0
    async function post(): Promise<Post> {
      const url = `https://shop.example/${sent++}`
      const status = await fetch(`${collectorUrl}/r/${token}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/reports+json' },
        body: JSON.stringify([{ type: 'csp-violation', url, body: { documentURL: url, blockedURL: 'inline' } }]),
      }).then(
        (response) => response.status,
        () => undefined,
      )
      return { url, status }
    }
    const accepted = () => posts.filter(({ status }) => status === 204)
    async function nextAccepted(): Promise<void> {
      const before = accepted().length
      await expect.poll(() => accepted().length).toBeGreaterThan(before)
    }
    async function blockInFlight(): Promise<void> {
      const blocks = async () => (await readdir(join(folder, 'collector'))).filter((name) => name.endsWith('.begun'))
      await expect.poll(blocks, { interval: 5 }).not.toEqual([])
      await sleep(random.below(200))
    }
    async function send(): Promise<void> {
      while (!isOver) {
        const result = await post()
        posts.push(result)
        await sleep(result.status === 204 ? 5 : 50)
      }
    }

    const names = ['collector', 'engine', 'redis'] as const
    const running: Partial<Record<(typeof names)[number], Promise<void>>> = {}
    async function killAll(): Promise<void> {
      const sets = [1, 2, 4, 3, 5, 6, 7].map((bits) => names.filter((_, index) => bits & (1 << index)))
      for (let round = 0; round < wantedKills; round++) {
        // Some hit parts that start, some any moment, and some a block, which rests most of the time.
        if (random.chance(0.5)) await nextAccepted()
        await sleep(random.below(1_500))
        if (random.chance(0.5)) await blockInFlight()
        for (const name of sets[round % sets.length] ?? []) {
          // Others end while it starts again.
          await running[name]
          running[name] = random.chance(0.3) ? frozen[name]() : kill[name]()
        }
      }
      await Promise.all(Object.values(running))
    }

    const senders = Array.from({ length: 30 }, send)
    await killAll()
    await expect.poll(async () => (await fetch(`${collectorUrl}/readyz`)).status).toBe(200)
    await expect.poll(async () => (await post()).status).toBe(204)
    isOver = true
    await Promise.all(senders)
    const waiting = async () => (await fetch(`${collectorUrl}/metrics`)).text()
    await expect.poll(waiting).toMatch(/^collector_waiting_reports 0$/m)

    const rows = await queryRows(database, 'SELECT document_url, count() FROM reports GROUP BY document_url')
    const stored = new Map(rows.map(([url, count]) => [url, count]))
    expect(accepted().filter(({ url }) => stored.get(url) !== 1)).toEqual([])
    expect(rows.filter(([, count]) => count !== 1)).toEqual([])
    for (const { status } of posts) expect([204, 503, undefined]).toContain(status)
    expect(accepted().length).toBeGreaterThan(wantedKills)
    const { checked, differences } = await checkRollups(database)
    expect(differences).toEqual([])
    expect(checked).toBeGreaterThan(0)
    expect(await versionOf(database, tenantId)).toBeTypeOf('string')
  } finally {
    collector?.child.kill('SIGKILL')
    await database.close()
    await Promise.all([engine.end(), redis.stop()])
    await rm(folder, { recursive: true })
  }
})
