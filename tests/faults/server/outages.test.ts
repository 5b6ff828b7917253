import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedisBudgets } from '../../../app/budgets/redis-budgets.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { blockProcess, freezeProcess } from '../../support/freeze-process.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently, patience, poolsWithTimeout } from '../../support/patience.ts'
import { startRedis } from '../../support/redis.ts'
import type { TestKey } from '../../support/tenants.ts'

type Ended = { stop(): Promise<unknown> }
const started: Ended[] = []
afterAll(async () => {
  for (const one of started.reverse()) await one.stop()
})

/** A logger, and why its requests failed. */
function failureLog() {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
  const reasons = () =>
    lines.map((line) => JSON.parse(line)).flatMap(({ msg, reason }) => (msg === 'request failed' ? [reason] : []))
  return { lines, log, reasons }
}

let windows = 0
/** Of a window that was never read, so that no response is cached. */
const unread = () => `/v1/reports/types?to=${new Date(Date.now() + ++windows).toISOString()}`

describe('an engine that is killed', () => {
  let api: TestApi
  let key: TestKey
  let pid: () => number | undefined
  let urls: { readonly readUrl: string; readonly writeUrl: string }
  const { lines, log, reasons } = failureLog()

  beforeAll(async () => {
    const engine = await startMigratedEngine()
    started.push({ stop: () => engine.end() })
    urls = { readUrl: engine.userUrls.reader, writeUrl: engine.userUrls.writer }
    const writer = connectPatiently(urls.writeUrl)
    await writer.close()
    api = await startApi({ ...urls, log })
    started.push({ stop: () => api.close() })
    key = await api.createKey(await api.createTenant())
    pid = () => engine.pid()
  })

  test('is upstream_unavailable meanwhile, and the API recovers by itself', async () => {
    const send = () => api.get(unread(), { key })
    expect((await send()).status).toBe(200)
    process.kill(pid() as number, 'SIGKILL')
    const { status, body, headers } = await send()
    expect(status).toBe(503)
    expect(body.error.code).toBe('upstream_unavailable')
    expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
    expect((await api.get('/livez')).status).toBe(200)
    await expect.poll(async () => (await send()).status).toBe(200)
    await expect.poll(async () => (await api.get('/readyz')).status).toBe(200)
  })

  const statusOf = async (path: string, of = api) => (await of.get(path, { key })).status

  test('writes a line when an outage begins and ends, and short ones a request', async () => {
    lines.length = 0
    process.kill(pid() as number, 'SIGKILL')
    const requests = 100
    for (let sent = 0; sent < requests; sent++) await statusOf(unread())
    await expect.poll(() => statusOf(unread())).toBe(200)
    const outage = lines.filter((line) => line.includes('ClickHouse'))
    expect(outage.map((line) => JSON.parse(line).msg)).toEqual([
      'ClickHouse does not respond',
      'ClickHouse responds again',
    ])
    expect(lines.some((line) => line.includes('request failed'))).toBe(true)
    const ofOutage = lines.filter((line) => !line.includes('"status":200'))
    const failed = ofOutage.filter((line) => line.includes('"status":503')).length
    expect(Buffer.byteLength(ofOutage.join('')) / failed).toBeLessThan(1_000)
    for (const line of lines) {
      expect(line.length).toBeLessThan(500)
      expect(line).not.toContain('stack')
    }
  })

  test('frozen: the first requests wait their deadline, the rest for a sign of life, and the thaw ends it', async () => {
    const { log, reasons } = failureLog()
    const hasty = await startApi({ ...urls, log, connectOptions: {} })
    await expect.poll(() => statusOf('/v1/me', hasty)).toBe(200)
    freezeProcess(pid() as number)
    const paths = ['/v1/me', '/v1/reports/types', '/v1/reports/count', '/v1/issues', '/v1/crashes']
    const send = () => Promise.all(paths.map((path) => statusOf(path, hasty)))
    for (const status of await send()) expect([200, 503]).toContain(status)
    // Its key is forgotten.
    await expect.poll(() => statusOf('/v1/me', hasty)).toBe(503)
    for (const reason of reasons()) expect(reason).toMatch(/No response within (800|1800|10000) ms/)
    const before = reasons().length
    for (let round = 0; round < 5; round++) expect(await send()).toEqual(paths.map(() => 503))
    expect(new Set(reasons().slice(before))).toEqual(new Set(['No response within 800 ms']))
    process.kill(pid() as number, 'SIGCONT')
    await expect.poll(() => statusOf('/v1/reports/types', hasty)).toBe(200)
    await hasty.close()
  })

  test('paused with the whole machine for longer than the timeout of a key lookup: no request fails', async () => {
    const reads: string[] = []
    const hasty = await startApi({
      ...urls,
      connectOptions: { ...patience, pools: poolsWithTimeout(6_000, 'unknownKey') },
      onRead: ({ name }) => reads.push(name),
    })
    const unknown = await api.createKey(await api.createTenant())
    freezeProcess(pid() as number)
    const response = hasty.get('/v1/me', { key: unknown })
    await expect.poll(() => reads).toContain('findKey')
    blockProcess(7_000)
    process.kill(pid() as number, 'SIGCONT')
    expect((await response).status).toBe(200)
    await hasty.close()
  })

  test('killed under load: no 503 waits for a deadline', async () => {
    lines.length = 0
    const requests: Promise<number>[] = []
    process.kill(pid() as number, 'SIGKILL')
    for (let sent = 0; sent < 100; sent++) {
      requests.push(statusOf(`/v1/reports/count?browserName=${sent}`), statusOf(unread()))
      await sleep(20)
    }
    expect(await Promise.all(requests)).toContain(503)
    for (const reason of reasons()) expect(reason).not.toContain('No response within')
    await expect.poll(() => statusOf(unread())).toBe(200)
  })

  test('fails its own check of /readyz', async () => {
    process.kill(pid() as number, 'SIGKILL')
    const { status, body } = await api.get('/readyz')
    expect(status).toBe(503)
    expect(body).toEqual({
      status: 'failing',
      checks: { engine: 'failing', budgets: 'ok', migrations: 'unknown', parts: 'ok' },
    })
    await expect.poll(async () => (await api.get('/readyz')).status).toBe(200)
  })
})

describe('a Redis that cannot respond', () => {
  let api: TestApi
  let key: TestKey
  let redis: Awaited<ReturnType<typeof startRedis>>
  const { lines, log, reasons } = failureLog()

  beforeAll(async () => {
    redis = await startRedis()
    started.push(redis)
    api = await startApi({ budgets: await createRedisBudgets(redis.url), log })
    started.push({ stop: () => api.close() })
    key = await api.createKey(await api.createTenant())
  })

  const send = () => api.get('/v1/reports/types', { key })

  /** The reasons in the log. */
  async function refused(): Promise<string[]> {
    lines.length = 0
    for (let attempt = 0; attempt < 3; attempt++) {
      const { status, body, headers } = await send()
      expect(status).toBe(503)
      expect(body.error.code).toBe('rate_limit_unavailable')
      expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
      expect(headers.get('RateLimit-Limit')).toBeNull()
    }
    return reasons()
  }

  test('frozen and back: rejected at the deadline of a command, then served', async () => {
    await expect.poll(async () => (await send()).status).toBe(200)
    redis.freeze()
    expect((await refused())[0]).toContain('No response within 200 ms')
    redis.thaw()
    await expect.poll(async () => (await send()).status).toBe(200)
  })

  test('killed and back: rejected without a connection, then served', async () => {
    await redis.kill()
    expect((await refused()).at(-1)).not.toContain('No response within')
    expect((await api.get('/readyz')).body.checks).toMatchObject({ engine: 'ok', budgets: 'failing' })
    await redis.restart()
    await expect.poll(async () => (await send()).status).toBe(200)
  })
})
