import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { clickHouseReportWriter } from '../../../app/import/reports/clickhouse-report-writer.ts'
import { logImportSteps } from '../../../clickhouse/log-import-steps.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { connect } from '../../../queries/clickhouse/client.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
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
import { connectPatiently, patience, poolsWithTimeout } from '../../support/patience.ts'
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
  database = connectPatiently(engine.userUrls.writer)
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

test('ClickHouse that refuses connections: 503, nothing stored, and 204 when it is back', async () => {
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
    expectRefused(await post(newUrl(), fresh), 'upstream_unavailable')
    for (const result of await Promise.all(posts)) expectRefused(result, 'upstream_unavailable')
    expectRefused(await post(newUrl()), 'upstream_unavailable')
    engine = await startTestEngine({ dataDir, port })
    await expect.poll(async () => (await fetch(`${collector.url}/readyz`)).status).toBe(200)
    expect(await readdir(join(folder, 'collector'))).toEqual([])
    const after = newUrl()
    expect(await post(after)).toMatchObject({ status: 204 })
    expect(await storedOf(database, after)).toEqual([1])
    expect(await storedOf(database, ...refused)).toEqual(refused.map(() => 0))
    expect(await versionOf(database, tenantId)).toBeTypeOf('string')
  } finally {
    await Promise.all([collector.close(), fresh.close()])
  }
})

test('ClickHouse frozen in an insert: 503 by the deadlines, not ready, and the block is stored once at most after the thaw', async () => {
  const folder = await folders.make()
  const signals: (AbortSignal | undefined)[] = []
  const outages: (string | undefined)[] = []
  // Lookups of sites end while ClickHouse is frozen.
  const pools = poolsWithTimeout(2_000, 'lookup')
  const lookups = connect(engine.userUrls.writer, { ...patience, pools, aliveTimeoutMs: 2_000 })
  const own = { ...database, read: lookups.read }
  const timeouts = { startTimeoutMs: 5_000, insertTimeoutMs: 5_000, settleTimeoutMs: 2_000, doneTimeoutMs: 2_000 }
  let freezes = true
  const freeze = () => freezeProcess(engine.pid() as number)
  const thaw = () => process.kill(engine.pid() as number, 'SIGCONT')
  const logSteps = logImportSteps(database)
  const writer = clickHouseReportWriter(database)
  const { store, app, post } = await openCollector(own, folder, {
    timeouts,
    onOutage: (error) => outages.push(error?.message),
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
    await openCollector(own, await folders.make(), { timeouts }),
    await openCollector(own, closedFolder, { timeouts }),
  ]
  try {
    for (const { post } of [other, closed]) {
      await expect.poll(async () => (await post(otherToken, newUrl())).status).toBe(204)
    }
    const [inFlight, behind, unsent, lost] = [newUrl(), newUrl(), newUrl(), newUrl()]
    const posted = post(token, inFlight)
    await expect.poll(() => signals.length).toBe(1)
    const sent = [posted, post(token, behind), other.post(otherToken, unsent), closed.post(otherToken, lost)]
    await expect.poll(closed.store.waitingBytes).toBeGreaterThan(0)
    const closing = closed.store.close()
    const results = await Promise.all(sent)
    for (const result of results) expectRefused(result, 'upstream_unavailable')
    expect(signals[0]?.aborted).toBe(true)
    expect(await ready()).toEqual({ status: 503, store: 'failing' })
    expectRefused(await post(token, newUrl()), 'upstream_unavailable')
    expect(await readdir(folder)).toHaveLength(1)
    await closing
    expect(outages).toEqual(['No response within 5000 ms'])
    expect(other.store.isReady()).toBe(false)
    thaw()
    await expect.poll(ready).toEqual({ status: 200, store: 'ok' })
    await expect.poll(other.store.isReady).toBe(true)
    const after = newUrl()
    expect(await post(token, after)).toMatchObject({ status: 204 })
    const next = await openCollector(database, closedFolder)
    next.store.sendLeftovers()
    await expect.poll(next.store.isReady).toBe(true)
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
    await Promise.all([store.close(), other.store.close(), lookups.close()])
  }
})

test('Redis away: 503, and 204 when it is back', async () => {
  const redis = await startRedis()
  const collector = await startTestCollector({ CLICKHOUSE_URL: engine.userUrls.writer, REDIS_URL: redis.url })
  const post = (url: string) => send(() => fetch(`${collector.url}/r/${token}`, reportRequest(url)))
  try {
    await expect.poll(async () => (await post(newUrl())).status).toBe(204)
    await redis.kill()
    const refused = newUrl()
    expectRefused(await post(refused), 'upstream_unavailable')
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
    const [, origin] = await collector.printed(/(http:\S+)\/r\//)
    const post = (url: string) => send(() => fetch(`${origin}/r/${token}`, reportRequest(url)))
    await expect.poll(async () => (await post(newUrl())).status).toBe(204)
    const url = newUrl()
    let isStored = false
    const posted = post(url).finally(() => {
      isStored = true
    })
    const metrics = async () => (await fetch(`${origin}/metrics`)).text()
    // This request and the post.
    await expect.poll(async () => isStored || /^http_requests_in_flight 2$/m.test(await metrics())).toBe(true)
    collector.child.kill('SIGTERM')
    expect(await posted).toMatchObject({ status: 204 })
    expect(await collector.ended()).toBe(0)
    expect(await storedOf(database, url)).toEqual([1])
  } finally {
    collector.child.kill('SIGKILL')
  }
})
