import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { clickHouseReportWriter } from '../../../app/import/reports/clickhouse-report-writer.ts'
import { logImportSteps } from '../../../clickhouse/log-import-steps.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { connect, type Database } from '../../../queries/clickhouse/client.ts'
import { startTestCollector } from '../../support/collector.ts'
import {
  expectRefused,
  newUrl,
  openCollector,
  reportRequest,
  send,
  storedOf,
  temporaryFolders,
  versionOf,
} from '../../support/collector-posts.ts'
import { startTestEngine, type TestEngine } from '../../support/engine.ts'
import { freezeProcess } from '../../support/freeze-process.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { startRedis } from '../../support/redis.ts'
import { spawnScript } from '../../support/spawn-script.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let engine: TestEngine
let database: Database
let tenantId: string
let otherTenantId: string
const [token, otherToken] = [makeSiteToken(), makeSiteToken()]
const folders = temporaryFolders()

beforeAll(async () => {
  engine = await startMigratedEngine()
  database = connect(engine.userUrls.writer)
  const writer = createTenantWriter(database)
  tenantId = await writer.createTenant()
  otherTenantId = await writer.createTenant()
  await writer.createSite(tenantId, { hosts: ['shop.example'], token })
  await writer.createSite(otherTenantId, { hosts: ['shop.example'], token: otherToken })
})

afterAll(async () => {
  await database?.close()
  await engine?.end()
  await folders.remove()
})

test('ClickHouse that refuses connections: 503 within 9 s, nothing stored, and 204 when it is back', async () => {
  const folder = await folders.make()
  const { dataDir, port, userUrls } = engine
  const collector = await startTestCollector({ CLICKHOUSE_URL: userUrls.writer, DATA_DIR: folder })
  // It has no site in its cache.
  const fresh = await startTestCollector({ CLICKHOUSE_URL: userUrls.writer })
  const post = (url: string, to = collector) => send(() => fetch(`${to.url}/r/${token}`, reportRequest(url)))
  try {
    expect(await post(newUrl())).toMatchObject({ status: 204 })
    await Promise.all([engine.read.close(), engine.write.close()])
    await engine.stop()
    const refused = Array.from({ length: 20 }, newUrl)
    // Over four seconds, so that they would be in several blocks.
    const posts = refused.map(async (url, index) => {
      await sleep(index * 200)
      return post(url)
    })
    expectRefused(await post(newUrl(), fresh), 'upstream_unavailable', 4_000)
    for (const result of await Promise.all(posts)) expectRefused(result, 'upstream_unavailable', 9_000)
    // No post waits for what the one before it waited for.
    expectRefused(await post(newUrl()), 'upstream_unavailable', 4_000)
    engine = await startTestEngine({ dataDir, port })
    await expect.poll(async () => (await fetch(`${collector.url}/readyz`)).status, { timeout: 60_000 }).toBe(200)
    expect(await readdir(join(folder, 'collector'))).toEqual([])
    const after = newUrl()
    expect(await post(after)).toMatchObject({ status: 204 })
    expect(await storedOf(database, after)).toEqual([1])
    expect(await storedOf(database, ...refused)).toEqual(refused.map(() => 0))
    expect(await versionOf(database, tenantId)).toBeTypeOf('string')
  } finally {
    await Promise.all([collector.close(), fresh.close()])
  }
}, 180_000)

test('ClickHouse frozen in an insert: 503 by the deadlines, not ready, and the block is stored once at most after the thaw', async () => {
  const folder = await folders.make()
  const signals: (AbortSignal | undefined)[] = []
  let freezes = true
  const freeze = () => freezeProcess(engine.pid() as number)
  const thaw = () => process.kill(engine.pid() as number, 'SIGCONT')
  const logSteps = logImportSteps(database)
  const writer = clickHouseReportWriter(database)
  const timeouts = { startTimeoutMs: 5_000, insertTimeoutMs: 5_000, settleTimeoutMs: 2_000 }
  const { store, app, post } = await openCollector(database, folder, {
    timeouts,
    async logSteps(...given) {
      await logSteps(...given)
      if (freezes) freeze()
      freezes = false
    },
    writer: {
      write(rows, token, signal) {
        signals.push(signal)
        return writer.write(rows, token, signal)
      },
    },
  })
  const ready = async () => {
    const response = await app.request('/readyz')
    return { status: response.status, store: ((await response.json()) as { checks: { store: string } }).checks.store }
  }
  // Their steps in the import log do not return, so none of their rows are sent.
  const closedFolder = await folders.make()
  const [other, closed] = [
    await openCollector(database, await folders.make(), { timeouts }),
    await openCollector(database, closedFolder, { timeouts }),
  ]
  try {
    for (const { post } of [other, closed]) expect(await post(otherToken, newUrl())).toMatchObject({ status: 204 })
    const [inFlight, behind, unsent, lost] = [newUrl(), newUrl(), newUrl(), newUrl()]
    const posted = post(token, inFlight)
    await expect.poll(() => signals.length).toBe(1)
    const sent = [posted, post(token, behind), other.post(otherToken, unsent), closed.post(otherToken, lost)]
    await expect.poll(closed.store.waitingBytes).toBeGreaterThan(0)
    const startedAt = performance.now()
    const closing = closed.store.close().then(() => performance.now() - startedAt)
    const results = await Promise.all(sent)
    for (const result of results) expectRefused(result, 'upstream_unavailable', 13_000)
    expect(signals[0]?.aborted).toBe(true)
    expect(await ready()).toEqual({ status: 503, store: 'failing' })
    expectRefused(await post(token, newUrl()), 'upstream_unavailable', 4_000)
    expect(await readdir(folder)).toHaveLength(1)
    expect(await closing).toBeLessThan(12_000)
    expect(other.store.isReady()).toBe(false)
    thaw()
    await expect.poll(ready, { timeout: 60_000 }).toEqual({ status: 200, store: 'ok' })
    await expect.poll(other.store.isReady, { timeout: 60_000 }).toBe(true)
    const after = newUrl()
    expect(await post(token, after)).toMatchObject({ status: 204 })
    const next = await openCollector(database, closedFolder)
    next.store.sendLeftovers()
    await expect.poll(next.store.isReady, { timeout: 60_000 }).toBe(true)
    await next.store.close()
    // ClickHouse had the whole insert in its socket: it can be stored before it is ended.
    const [whole = 0, ...others] = await storedOf(database, inFlight, behind, unsent, lost, after)
    expect(others).toEqual([0, 0, 0, 1])
    expect(whole).toBeLessThanOrEqual(1)
    expect(await readdir(folder)).toEqual([])
    expect([await versionOf(database, tenantId), await versionOf(database, otherTenantId)]).toEqual([
      expect.any(String),
      expect.any(String),
    ])
    expect((await checkRollups(database)).differences).toEqual([])
  } finally {
    thaw()
    await Promise.all([store.close(), other.store.close()])
  }
}, 180_000)

test('Redis away: 503 within a second, and 204 when it is back', async () => {
  const redis = await startRedis()
  const collector = await startTestCollector({ CLICKHOUSE_URL: engine.userUrls.writer, REDIS_URL: redis.url })
  const post = (url: string) => send(() => fetch(`${collector.url}/r/${token}`, reportRequest(url)))
  try {
    expect(await post(newUrl())).toMatchObject({ status: 204 })
    await redis.kill()
    const refused = newUrl()
    expectRefused(await post(refused), 'upstream_unavailable', 1_000)
    await redis.restart()
    await expect.poll(async () => (await post(newUrl())).status).toBe(204)
    expect(await storedOf(database, refused)).toEqual([0])
  } finally {
    await collector.close()
    await redis.stop()
  }
})

test('a clean stop stores what waits', async () => {
  const collector = spawnScript('app/collect.ts', [], {
    ...{ DATA_DIR: await folders.make(), COLLECTOR_PORT: '0', LOG_LEVEL: 'silent' },
    CLICKHOUSE_URL: engine.userUrls.writer,
  })
  try {
    const [, origin] = await collector.printed(/(http:\S+)\/r\//, 30_000)
    const post = (url: string) => send(() => fetch(`${origin}/r/${token}`, reportRequest(url)))
    expect(await post(newUrl())).toMatchObject({ status: 204 })
    const url = newUrl()
    const posted = post(url)
    await sleep(100)
    collector.child.kill('SIGTERM')
    expect(await posted).toMatchObject({ status: 204 })
    expect(await collector.ended()).toBe(0)
    expect(await storedOf(database, url)).toEqual([1])
  } finally {
    collector.child.kill('SIGKILL')
  }
})
