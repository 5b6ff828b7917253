import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryBudgets } from '../../../app/budgets/memory-budgets.ts'
import { createCollectorMetrics } from '../../../app/collector/collector-metrics.ts'
import { createCollector } from '../../../app/collector/create-collector.ts'
import { logCollectorSteps } from '../../../app/collector/log-collector-steps.ts'
import { createReportStore, type ReportStoreOptions } from '../../../app/collector/report-store.ts'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { openSpool } from '../../../app/collector/spool.ts'
import { clickHouseReportWriter } from '../../../app/import/reports/clickhouse-report-writer.ts'
import { migrate } from '../../../clickhouse/migrate.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { connect, type Database } from '../../../queries/clickhouse/client.ts'
import { importVersion } from '../../../queries/rules/import-version.ts'
import { listImportSteps } from '../../../queries/tenants/list-import-steps.ts'
import { startTestCollector } from '../../support/collector.ts'
import { queryRows } from '../../support/database.ts'
import { startTestEngine, type TestEngine } from '../../support/engine.ts'
import { startRedis } from '../../support/redis.ts'
import { spawnScript } from '../../support/spawn-script.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let engine: TestEngine
let database: Database
let tenantId: string
let otherTenantId: string
const [token, otherToken] = [makeSiteToken(), makeSiteToken()]
const folders: string[] = []

beforeAll(async () => {
  engine = await startTestEngine()
  database = connect(engine.userUrls.writer)
  await migrate(database)
  const writer = createTenantWriter(database)
  tenantId = await writer.createTenant()
  otherTenantId = await writer.createTenant()
  await writer.createSite(tenantId, { hosts: ['shop.example'], token })
  await writer.createSite(otherTenantId, { hosts: ['shop.example'], token: otherToken })
})

afterAll(async () => {
  await database?.close()
  await engine?.end()
  for (const folder of folders) await rm(folder, { recursive: true })
})

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'collector-outages-'))
  folders.push(folder)
  return folder
}

let urls = 0
const newUrl = () => `https://shop.example/${urls++}`

const request = (url: string) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/reports+json' },
  body: JSON.stringify([{ type: 'csp-violation', url, body: { documentURL: url, blockedURL: 'inline' } }]),
})

interface Result {
  readonly status: number
  readonly code: string | undefined
  readonly retryAfter: string | null
  readonly milliseconds: number
}

/** Posts one report. */
async function send(respond: () => Response | Promise<Response>): Promise<Result> {
  const startedAt = performance.now()
  const response = await respond()
  const text = await response.text()
  const code = text === '' ? undefined : JSON.parse(text).error.code
  const { status, headers } = response
  return { status, code, retryAfter: headers.get('Retry-After'), milliseconds: performance.now() - startedAt }
}

function expectRefused({ milliseconds, ...result }: Result, code: string, withinMs: number): void {
  expect(result).toEqual({ status: 503, code, retryAfter: expect.stringMatching(/^[1-9]\d*$/) })
  expect(milliseconds).toBeLessThan(withinMs)
}

/** How often each URL is stored. */
async function storedOf(...wanted: string[]): Promise<number[]> {
  const rows = await queryRows(database, 'SELECT document_url, count() FROM reports GROUP BY document_url')
  const stored = new Map(rows.map(([url, count]) => [url, count]))
  return wanted.map((url) => Number(stored.get(url) ?? 0))
}

const version = async (id = tenantId) => importVersion(await database.read(listImportSteps(id, 1_000)))

/** A collector without a listener, on a store of which parts can be replaced. */
async function openCollector(folder: string, replaced: Partial<ReportStoreOptions> = {}) {
  const store = createReportStore({
    writer: clickHouseReportWriter(database),
    logSteps: logCollectorSteps(database),
    spool: await openSpool(folder),
    ...replaced,
  })
  const metrics = createCollectorMetrics(() => store.waitingBytes())
  const log = pino({ level: 'silent' })
  const budgets = createMemoryBudgets()
  const app = createCollector({ database, budgets, store, metrics, log, postsPerMinute: 100_000 })
  return { store, app, post: (url: string, to = token) => send(() => app.request(`/r/${to}`, request(url))) }
}

test('ClickHouse that refuses connections: 503 within 9 s, nothing stored, and 204 when it is back', async () => {
  const folder = await newFolder()
  const { dataDir, port, userUrls } = engine
  const collector = await startTestCollector({ CLICKHOUSE_URL: userUrls.writer, DATA_DIR: folder })
  // It has no site in its cache.
  const fresh = await startTestCollector({ CLICKHOUSE_URL: userUrls.writer })
  const post = (url: string, to = collector) => send(() => fetch(`${to.url}/r/${token}`, request(url)))
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
    await expect.poll(async () => (await fetch(`${collector.url}/readyz`)).status, { timeout: 5_000 }).toBe(200)
    expect(await readdir(join(folder, 'collector'))).toEqual([])
    const after = newUrl()
    expect(await post(after)).toMatchObject({ status: 204 })
    expect(await storedOf(after)).toEqual([1])
    expect(await storedOf(...refused)).toEqual(refused.map(() => 0))
    expect(await version()).toBeTypeOf('string')
  } finally {
    await Promise.all([collector.close(), fresh.close()])
  }
}, 60_000)

test('ClickHouse frozen in an insert: 503 within 13 s, not ready, and the block is stored once after the thaw', async () => {
  const folder = await newFolder()
  const signals: (AbortSignal | undefined)[] = []
  let freezes = true
  const freeze = () => process.kill(engine.pid() as number, 'SIGSTOP')
  const thaw = () => process.kill(engine.pid() as number, 'SIGCONT')
  const logSteps = logCollectorSteps(database)
  const writer = clickHouseReportWriter(database)
  const { store, app, post } = await openCollector(folder, {
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
  const closedFolder = await newFolder()
  const [other, closed] = [await openCollector(await newFolder()), await openCollector(closedFolder)]
  try {
    for (const { post } of [other, closed]) expect(await post(newUrl(), otherToken)).toMatchObject({ status: 204 })
    const [inFlight, behind, unsent, lost] = [newUrl(), newUrl(), newUrl(), newUrl()]
    const posted = post(inFlight)
    await expect.poll(() => signals.length, { timeout: 10_000 }).toBe(1)
    const sent = [posted, post(behind), other.post(unsent, otherToken), closed.post(lost, otherToken)]
    await expect.poll(closed.store.waitingBytes).toBeGreaterThan(0)
    const startedAt = performance.now()
    const closing = closed.store.close().then(() => performance.now() - startedAt)
    const results = await Promise.all(sent)
    for (const result of results) expectRefused(result, 'upstream_unavailable', 13_000)
    expect(signals[0]?.aborted).toBe(true)
    expect(await ready()).toEqual({ status: 503, store: 'failing' })
    expectRefused(await post(newUrl()), 'upstream_unavailable', 4_000)
    expect(await readdir(folder)).toHaveLength(1)
    expect(await closing).toBeLessThan(12_000)
    expect(other.store.isReady()).toBe(false)
    thaw()
    await expect.poll(ready, { timeout: 20_000 }).toEqual({ status: 200, store: 'ok' })
    await expect.poll(other.store.isReady, { timeout: 20_000 }).toBe(true)
    const after = newUrl()
    expect(await post(after)).toMatchObject({ status: 204 })
    const next = await openCollector(closedFolder)
    next.store.sendLeftovers()
    await expect.poll(next.store.isReady, { timeout: 20_000 }).toBe(true)
    await next.store.close()
    expect(await storedOf(inFlight, behind, unsent, lost, after)).toEqual([1, 0, 0, 0, 1])
    expect(await readdir(folder)).toEqual([])
    expect([await version(), await version(otherTenantId)]).toEqual([expect.any(String), expect.any(String)])
    expect((await checkRollups(database)).differences).toEqual([])
  } finally {
    thaw()
    await Promise.all([store.close(), other.store.close()])
  }
}, 60_000)

test('Redis away: 503 within a second, and 204 when it is back', async () => {
  const redis = await startRedis()
  const collector = await startTestCollector({ CLICKHOUSE_URL: engine.userUrls.writer, REDIS_URL: redis.url })
  const post = (url: string) => send(() => fetch(`${collector.url}/r/${token}`, request(url)))
  try {
    expect(await post(newUrl())).toMatchObject({ status: 204 })
    await redis.kill()
    const refused = newUrl()
    expectRefused(await post(refused), 'upstream_unavailable', 1_000)
    await redis.restart()
    await expect.poll(async () => (await post(newUrl())).status, { timeout: 10_000 }).toBe(204)
    expect(await storedOf(refused)).toEqual([0])
  } finally {
    await collector.close()
    await redis.stop()
  }
})

test('more waiting than the limit: 503 overloaded, and 204 for what waited and for what comes later', async () => {
  const writer = clickHouseReportWriter(database)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { store, post } = await openCollector(await newFolder(), {
    limits: { waitingBytes: 1_000 },
    writer: {
      async write(...given) {
        await held
        await writer.write(...given)
      },
    },
  })
  try {
    const urls = Array.from({ length: 5 }, newUrl)
    const posts = urls.map((url) => post(url))
    await expect.poll(() => store.waitingBytes()).toBeGreaterThan(1_000)
    await Promise.race(posts)
    const before = store.waitingBytes()
    expectRefused(await post(newUrl()), 'overloaded', 1_000)
    expect(store.waitingBytes()).toBe(before)
    release()
    const results = await Promise.all(posts)
    expect(results.map(({ status }) => status)).toContain(204)
    expect(await storedOf(...urls)).toEqual(results.map(({ status }) => (status === 204 ? 1 : 0)))
    expect(store.waitingBytes()).toBe(0)
    expect(await post(newUrl())).toMatchObject({ status: 204 })
  } finally {
    await store.close()
  }
})

test('a block that waits for another fills further', async () => {
  const writer = clickHouseReportWriter(database)
  const blocks: number[] = []
  const { store, post } = await openCollector(await newFolder(), {
    limits: { milliseconds: 10 },
    onFlush: ({ reports }) => blocks.push(reports),
    writer: {
      async write(...given) {
        await sleep(500)
        await writer.write(...given)
      },
    },
  })
  try {
    const posts = Array.from({ length: 10 }, async (_, index) => {
      await sleep(index * 50)
      return post(newUrl())
    })
    for (const { status } of await Promise.all(posts)) expect(status).toBe(204)
    expect(blocks.length).toBeLessThanOrEqual(3)
    expect(blocks.reduce((sum, reports) => sum + reports, 0)).toBe(10)
  } finally {
    await store.close()
  }
})

test.each([
  ['before its insert', false],
  ['after its insert', true],
])('a block that a collector left, killed %s, is stored once by the next one', async (_, isInserted) => {
  const folder = await newFolder()
  const writer = clickHouseReportWriter(database)
  let isLeft = false
  const killed = await openCollector(join(folder, 'collector'), {
    writer: {
      async write(...given) {
        if (isInserted) await writer.write(...given)
        isLeft = true
        await new Promise(() => {})
      },
    },
  })
  const url = newUrl()
  // Without a response, as of a killed process; its timeout comes after the test.
  void killed.post(url)
  await expect.poll(() => isLeft, { timeout: 10_000 }).toBe(true)
  expect(await version()).toBeUndefined()
  const next = await startTestCollector({ CLICKHOUSE_URL: engine.userUrls.writer, DATA_DIR: folder })
  try {
    await expect.poll(() => readdir(join(folder, 'collector')), { timeout: 10_000 }).toEqual([])
    expect(await storedOf(url)).toEqual([1])
    expect(await version()).toBeTypeOf('string')
    expect((await checkRollups(database)).differences).toEqual([])
  } finally {
    await next.close()
  }
})

test('a block that ClickHouse refuses is set aside, and those after it are stored', async () => {
  const folder = await newFolder()
  const spool = await openSpool(join(folder, 'collector'))
  const block = { stepToken: 'collector x', tenantIds: [tenantId] }
  await spool.save({ ...block, token: 'a', rows: Buffer.from('["no", "row"]\n') })
  const next = await startTestCollector({ CLICKHOUSE_URL: engine.userUrls.writer, DATA_DIR: folder })
  try {
    await expect.poll(() => readdir(join(folder, 'collector')), { timeout: 10_000 }).toEqual(['a.refused'])
    const url = newUrl()
    await expect.poll(async () => (await send(() => fetch(`${next.url}/r/${token}`, request(url)))).status).toBe(204)
    expect(await version()).toBeTypeOf('string')
  } finally {
    await next.close()
  }
})

test('a block is in the folder before its step begins and until its step is done', async () => {
  const folder = await newFolder()
  const logSteps = logCollectorSteps(database)
  const steps: unknown[] = []
  const { store, post } = await openCollector(folder, {
    async logSteps(tenantIds, stepToken, state, signal) {
      steps.push([state, (await readdir(folder)).length])
      await logSteps(tenantIds, stepToken, state, signal)
    },
  })
  expect(await post(newUrl())).toMatchObject({ status: 204 })
  expect([...steps, await readdir(folder)]).toEqual([['started', 1], ['done', 1], []])
  await store.close()
})

test('a step that is not recorded as done is no failure, and is recorded when ClickHouse takes it', async () => {
  const logSteps = logCollectorSteps(database)
  let hangs = true
  let hung = 0
  const { store, post } = await openCollector(await newFolder(), {
    async logSteps(tenantIds, stepToken, state, signal) {
      if (hangs && state === 'done') await new Promise(() => hung++)
      await logSteps(tenantIds, stepToken, state, signal)
    },
  })
  const url = newUrl()
  const posted = post(url)
  await expect.poll(() => hung, { timeout: 10_000 }).toBe(1)
  const behind = newUrl()
  expectRefused(await post(behind), 'upstream_unavailable', 5_000)
  expect(await posted).toMatchObject({ status: 204 })
  expect(await version()).toBeUndefined()
  hangs = false
  await expect.poll(store.isReady, { timeout: 10_000 }).toBe(true)
  expect(await version()).toBeTypeOf('string')
  expect(await storedOf(url, behind)).toEqual([1, 0])
  await store.close()
})

test('a clean stop stores what waits', async () => {
  const collector = spawnScript('app/collect.ts', [], {
    ...{ DATA_DIR: await newFolder(), COLLECTOR_PORT: '0', LOG_LEVEL: 'silent' },
    CLICKHOUSE_URL: engine.userUrls.writer,
  })
  try {
    const [, origin] = await collector.printed(/(http:\S+)\/r\//, 30_000)
    const post = (url: string) => send(() => fetch(`${origin}/r/${token}`, request(url)))
    expect(await post(newUrl())).toMatchObject({ status: 204 })
    const url = newUrl()
    const posted = post(url)
    await sleep(100)
    collector.child.kill('SIGTERM')
    expect(await posted).toMatchObject({ status: 204 })
    expect(await collector.ended()).toBe(0)
    expect(await storedOf(url)).toEqual([1])
  } finally {
    collector.child.kill('SIGKILL')
  }
})
