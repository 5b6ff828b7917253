import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedisBudgets } from '../../../app/budgets/redis-budgets.ts'
import { connect } from '../../../queries/clickhouse/client.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { blockProcess, freezeProcess } from '../../support/freeze-process.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { startRedis } from '../../support/redis.ts'
import type { TestKey } from '../../support/tenants.ts'

type Ended = { stop(): Promise<unknown> }
const started: Ended[] = []
afterAll(async () => {
  for (const one of started.reverse()) await one.stop()
})

async function until(condition: () => Promise<boolean>, milliseconds: number): Promise<void> {
  const deadline = Date.now() + milliseconds
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not so within ${milliseconds} ms`)
    await sleep(50)
  }
}

describe('an engine that is killed', () => {
  let api: TestApi
  let key: TestKey
  let pid: () => number | undefined
  const lines: string[] = []

  beforeAll(async () => {
    const engine = await startMigratedEngine()
    started.push({ stop: () => engine.end() })
    const { reader: readUrl, writer: writeUrl } = engine.userUrls
    const writer = connect(writeUrl)
    await writer.close()
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
    api = await startApi({ readUrl, writeUrl, log })
    started.push({ stop: () => api.close() })
    key = await api.createKey(await api.createTenant())
    pid = () => engine.pid()
  })

  test('is upstream_unavailable meanwhile, and the API recovers by itself', async () => {
    const send = () => api.get('/v1/reports/types', { key })
    expect((await send()).status).toBe(200)
    process.kill(pid() as number, 'SIGKILL')
    const { status, body, headers } = await send()
    expect(status).toBe(503)
    expect(body.error.code).toBe('upstream_unavailable')
    expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
    expect((await api.get('/livez')).status).toBe(200)
    await until(async () => (await send()).status === 200, 15_000)
    expect((await api.get('/readyz')).status).toBe(200)
  })

  const timed = async (path: string) => {
    const requested = performance.now()
    const { status } = await api.get(path, { key })
    return { status, milliseconds: performance.now() - requested }
  }

  test('writes a line when an outage begins and ends, and short ones a request', async () => {
    lines.length = 0
    process.kill(pid() as number, 'SIGKILL')
    const requests = 100
    for (let sent = 0; sent < requests; sent++) await timed('/v1/reports/types')
    await until(async () => (await timed('/v1/reports/types')).status === 200, 15_000)
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

  test('frozen: the first requests wait their deadline, the rest fail within 1 s, and the thaw ends it', async () => {
    freezeProcess(pid() as number)
    const paths = ['/v1/me', '/v1/reports/types', '/v1/reports/count', '/v1/issues', '/v1/crashes']
    const first = await Promise.all(paths.map(timed))
    for (const { status, milliseconds } of first) {
      expect([200, 503]).toContain(status)
      expect(milliseconds).toBeLessThan(11_000)
    }
    const times: number[] = []
    for (let round = 0; round < 5; round++) {
      const rest = await Promise.all(paths.map(timed))
      expect(rest.map(({ status }) => status)).toEqual(paths.map(() => 503))
      times.push(Math.max(...rest.map(({ milliseconds }) => milliseconds)))
    }
    // The median, because a busy machine can hold back one of them.
    expect(times.sort((a, b) => a - b)[2]).toBeLessThan(1_000)
    process.kill(pid() as number, 'SIGCONT')
    const thawed = performance.now()
    await until(async () => (await timed('/v1/reports/types')).status === 200, 10_000)
    expect(performance.now() - thawed).toBeLessThan(5_000)
  })

  test('paused with the whole machine for longer than the timeout of a key lookup: no request fails', async () => {
    const unread = await api.createKey(await api.createTenant())
    freezeProcess(pid() as number)
    const response = api.get('/v1/me', { key: unread })
    await sleep(100)
    blockProcess(2_500)
    process.kill(pid() as number, 'SIGCONT')
    expect((await response).status).toBe(200)
  })

  test('killed under load: 99 of 100 503s take less than 2 s', async () => {
    const requests: ReturnType<typeof timed>[] = []
    process.kill(pid() as number, 'SIGKILL')
    for (let sent = 0; sent < 300; sent++) {
      requests.push(timed(`/v1/reports/count?browserName=${sent}`), timed('/v1/reports/types'))
      await sleep(10)
    }
    const failed = (await Promise.all(requests)).filter(({ status }) => status === 503)
    const times = failed.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
    expect(times[Math.floor(times.length * 0.99)]).toBeLessThan(2_000)
    await until(async () => (await timed('/v1/reports/types')).status === 200, 15_000)
  })

  test('fails its own check of /readyz', async () => {
    process.kill(pid() as number, 'SIGKILL')
    const { status, body } = await api.get('/readyz')
    expect(status).toBe(503)
    expect(body).toEqual({ status: 'failing', checks: { engine: 'failing', budgets: 'ok', migrations: 'unknown' } })
    await until(async () => (await api.get('/readyz')).status === 200, 15_000)
  })
})

describe('a Redis that cannot respond', () => {
  let api: TestApi
  let key: TestKey
  let redis: Awaited<ReturnType<typeof startRedis>>

  beforeAll(async () => {
    redis = await startRedis()
    started.push(redis)
    api = await startApi({ budgets: await createRedisBudgets(redis.url) })
    started.push({ stop: () => api.close() })
    key = await api.createKey(await api.createTenant())
  })

  const send = () => api.get('/v1/reports/types', { key })

  async function refused(): Promise<void> {
    // The best of three, because a busy machine can hold back any one of them.
    const times: number[] = []
    for (let attempt = 0; attempt < 3; attempt++) {
      const requested = performance.now()
      const { status, body, headers } = await send()
      times.push(performance.now() - requested)
      expect(status).toBe(503)
      expect(body.error.code).toBe('rate_limit_unavailable')
      expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
      expect(headers.get('RateLimit-Limit')).toBeNull()
    }
    expect(Math.min(...times)).toBeLessThan(250)
  }

  test('frozen and back: rejected within 250 ms, then served', async () => {
    expect((await send()).status).toBe(200)
    redis.freeze()
    await refused()
    redis.thaw()
    await until(async () => (await send()).status === 200, 5_000)
  })

  test('killed and back: rejected within 250 ms, then served', async () => {
    await redis.kill()
    await refused()
    expect((await api.get('/readyz')).body.checks).toMatchObject({ engine: 'ok', budgets: 'failing' })
    await redis.restart()
    await until(async () => (await send()).status === 200, 5_000)
  })
})
