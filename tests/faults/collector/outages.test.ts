import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { startTestCollector } from '../../support/collector.ts'
import {
  expectRefused,
  newUrl,
  reportRequest,
  send,
  storedOf,
  temporaryFolders,
  versionOf,
} from '../../support/collector-posts.ts'
import { startTestEngine, type TestEngine } from '../../support/engine.ts'
import { freezeProcess } from '../../support/freeze-process.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { startRedis } from '../../support/redis.ts'
import { spawnScript } from '../../support/spawn-script.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let engine: TestEngine
let database: Database
let tenantId: string
const [token, otherToken] = [makeSiteToken(), makeSiteToken()]
const folders = temporaryFolders()

beforeAll(async () => {
  engine = await startMigratedEngine()
  database = connectPatiently(engine.userUrls.writer)
  const writer = createTenantWriter(database)
  tenantId = await writer.createTenant()
  const otherTenantId = await writer.createTenant()
  await writer.createSite(tenantId, { hosts: ['shop.example'], token })
  await writer.createSite(otherTenantId, { hosts: ['shop.example'], token: otherToken })
})

afterAll(async () => {
  await database?.close()
  await engine?.end()
  await folders.remove()
})

const postTo = ({ url }: { readonly url: string }, page: string, to = token) =>
  send(() => fetch(`${url}/r/${to}`, reportRequest(page)))
const readiness = async ({ url }: { readonly url: string }) => (await fetch(`${url}/readyz`)).status

test('ClickHouse that refuses connections: known sites are 204 and stored when it is back; a start without a snapshot is not ready', async () => {
  const folder = await folders.make()
  const { dataDir, port, userUrls } = engine
  const environment = { CLICKHOUSE_URL: userUrls.writer, DATA_DIR: folder }
  let collector = await startTestCollector(environment, { waits: false })
  const urls = Array.from({ length: 12 }, newUrl)
  try {
    expect(await postTo(collector, urls[0] ?? '')).toMatchObject({ status: 204 })
    await collector.drained()
    await Promise.all([engine.read.close(), engine.write.close()])
    await engine.stop()
    for (const url of urls.slice(1, 6)) expect(await postTo(collector, url)).toMatchObject({ status: 204 })
    expectRefused(await postTo(collector, newUrl(), makeSiteToken()), 'upstream_unavailable')
    expect(await readiness(collector)).toBe(200)
    // It starts from its snapshot while nothing responds.
    await collector.close()
    collector = await startTestCollector(environment, { waits: false })
    for (const url of urls.slice(6)) expect(await postTo(collector, url)).toMatchObject({ status: 204 })
    const fresh = await startTestCollector({ CLICKHOUSE_URL: userUrls.writer, DATA_DIR: await folders.make() })
    expect(await readiness(fresh)).toBe(503)
    expectRefused(await postTo(fresh, newUrl()), 'upstream_unavailable')
    await fresh.close()
    engine = await startTestEngine({ dataDir, port })
    await collector.drained()
    expect(await storedOf(database, ...urls)).toEqual(urls.map(() => 1))
    expect((await checkRollups(database)).differences).toEqual([])
    expect(await versionOf(database, tenantId)).toBeTypeOf('string')
  } finally {
    await collector.close()
  }
})

test('ClickHouse frozen in an insert: posts are 204, and all are stored once after the thaw', async () => {
  let freezes = true
  const pid = engine.pid() as number
  const collector = await startTestCollector(
    { CLICKHOUSE_URL: engine.userUrls.writer, DATA_DIR: await folders.make() },
    {
      waits: false,
      blocks: { timeouts: { attemptMs: 1_000, longestAttemptMs: 60_000, longestPauseMs: 500, tokenMs: 4_000 } },
      replace: (real) => ({
        insert(statement, rows, options) {
          if (freezes && statement.startsWith('INSERT INTO reports ')) freezeProcess(pid)
          freezes = false
          return real.insert(statement, rows, options)
        },
      }),
    },
  )
  const urls = [newUrl()]
  try {
    await collector.post(otherToken, [])
    expect(await postTo(collector, urls[0] ?? '')).toMatchObject({ status: 204 })
    await expect.poll(() => freezes).toBe(false)
    // Its token is no longer trusted then.
    for (let posts = 0; posts < 10; posts++) {
      urls.push(newUrl())
      expect(await postTo(collector, urls.at(-1) ?? '')).toMatchObject({ status: 204 })
      await sleep(500)
    }
    // The patient reads of `/readyz` wait for the thaw.
    expect((await fetch(`${collector.url}/readyz/self`)).status).toBe(200)
    process.kill(pid, 'SIGCONT')
    await collector.drained()
    expect(await storedOf(database, ...urls)).toEqual(urls.map(() => 1))
    expect((await checkRollups(database)).differences).toEqual([])
    expect(await versionOf(database, tenantId)).toBeTypeOf('string')
  } finally {
    process.kill(pid, 'SIGCONT')
    await collector.close()
  }
})

test('Redis away: posts are 204, by budgets of this process', async () => {
  const redis = await startRedis()
  const environment = { CLICKHOUSE_URL: engine.userUrls.writer, REDIS_URL: redis.url, SITE_POSTS_PER_MINUTE: '5' }
  const collector = await startTestCollector(environment, { waits: false })
  const statuses: number[] = []
  try {
    await expect.poll(async () => (await postTo(collector, newUrl())).status).toBe(204)
    await redis.kill()
    for (let posts = 0; posts < 8; posts++) statuses.push((await postTo(collector, newUrl())).status)
    expect(new Set(statuses)).toEqual(new Set([204, 429]))
    expect(await readiness(collector)).toBe(200)
    await redis.restart()
    await expect.poll(async () => (await postTo(collector, newUrl())).status).toBe(429)
  } finally {
    await collector.close()
    await redis.stop()
  }
})

test('a clean stop stores what waits', async () => {
  const collector = spawnScript('app/collect.ts', [], {
    DATA_DIR: await folders.make(),
    COLLECTOR_PORT: '0',
    LOG_LEVEL: 'silent',
    CLICKHOUSE_URL: engine.userUrls.writer,
  })
  try {
    const [, origin] = await collector.printed(/(http:\S+)\/r\//)
    const post = (url: string) => send(() => fetch(`${origin}/r/${token}`, reportRequest(url)))
    await expect.poll(async () => (await post(newUrl())).status).toBe(204)
    const url = newUrl()
    expect(await post(url)).toMatchObject({ status: 204 })
    collector.child.kill('SIGTERM')
    expect(await collector.ended()).toBe(0)
    expect(await storedOf(database, url)).toEqual([1])
  } finally {
    collector.child.kill('SIGKILL')
  }
})
