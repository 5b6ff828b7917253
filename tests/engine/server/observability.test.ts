import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { dayMs, minuteMs } from '../../../schema/durations.ts'
import { type ApiResponse, startApi, type TestApi } from '../../support/api.ts'
import type { TestKey } from '../../support/tenants.ts'

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

let api: TestApi
let key: TestKey
let tenantId: string
const lines: string[] = []
const receivedAt = Date.now() - minuteMs

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
  api = await startApi({ log })
  tenantId = await api.createTenant()
  key = await api.createKey(tenantId)
  await api.insertReports([aReport({ tenantId, receivedAt })])
})

afterAll(() => api?.close())

/** The log line of one request. */
async function logged(path: string, requestId: string): Promise<Record<string, unknown>> {
  await api.get(path, { key, headers: { 'X-Request-Id': requestId } })
  const own = lines.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId)
  expect(own).toHaveLength(1)
  return own[0]
}

test('Server-Timing says where the time went, on errors and from the cache too', async () => {
  const to = new Date().toISOString()
  const timing = async (path: string) => (await api.get(path, { key })).headers.get('Server-Timing') ?? ''
  const cached = `/v1/reports/count?to=${to}`
  const first = await timing(cached)
  expect(first).toMatch(/^cache;desc=miss, db;dur=\d+\.\d, total;dur=\d+\.\d$/)
  expect(Number(/db;dur=([\d.]+)/.exec(first)?.[1])).toBeGreaterThan(0)
  await timing(cached)
  await expect.poll(() => timing(cached)).toMatch(/^cache;desc=hit, db;dur=0\.0, /)
  expect(await timing('/v1/reports?limit=0')).toMatch(/^db;dur=0\.0, total;dur=/)
  expect((await api.get('/v1/me')).headers.has('Server-Timing')).toBe(false)
})

describe('the log', () => {
  test('has one line a request: id, operation, tenant, status, time, rows and bytes read', async () => {
    const line = await logged('/v1/reports/count', 'count-1')
    expect(line).toMatchObject({ operation: 'reports.count', tenantId, keyId: key.id, status: 200, msg: 'request' })
    for (const measured of ['durationMs', 'engineMs', 'rowsRead', 'bytesRead']) {
      expect(line[measured], measured).toBeGreaterThan(0)
    }
  })

  test('has the statements of a request at debug level, and their values there alone', async () => {
    const debugged: string[] = []
    const log = pino({ level: 'debug' }, { write: (line: string) => void debugged.push(line) })
    const own = await startApi({ log })
    await own.get('/v1/reports/count?directive=private-directive', { key, headers: { 'X-Request-Id': 'debug-1' } })
    await own.close()
    const statements = debugged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'statement')
    expect(statements).toContainEqual(
      expect.objectContaining({
        requestId: 'debug-1',
        query: 'countReports',
        sql: expect.stringContaining("'private-directive'"),
      }),
    )
    await logged('/v1/reports/count?directive=private-directive', 'info-1')
    expect(lines.join('')).not.toContain('private-directive')
  })

  test('has a spent budget as a status, not as a failure', async () => {
    const spender = await api.createKey(await api.createTenant({ overrides: { keyLimit: 1 } }))
    const me = () => api.get('/v1/me', { key: spender, headers: { 'X-Request-Id': 'spent' } })
    expect([(await me()).status, (await me()).status]).toEqual([200, 429])
    const own = lines.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === 'spent')
    expect(own.map(({ msg, status }) => ({ msg, status }))).toEqual([
      { msg: 'request', status: 200 },
      { msg: 'request', status: 429 },
    ])
  })

  test('never holds a key or the value of a filter', async () => {
    await logged('/v1/reports?blockedHost=private-host.example&directive=img-src', 'filters-1')
    await logged('/v1/reports?blockedHost=private-host.example%5C', 'refused-1')
    await api.get('/v1/me', { headers: { Authorization: 'Bearer srk_live_not-a-key' } })
    const all = lines.join('')
    expect(all).not.toContain(key.key)
    expect(all).not.toContain(key.key.slice(20))
    expect(all).not.toContain('srk_live_')
    expect(all).not.toContain('private-host')
  })

  test('omits health checks at info level', async () => {
    await api.get('/livez', { headers: { 'X-Request-Id': 'health-1' } })
    expect(lines.join('')).not.toContain('health-1')
  })
})

describe('/metrics', () => {
  const metricsText = async () => (await api.get('/metrics')).text

  /** What a counter stands at, of one operation. */
  async function counted(name: string, labels = ''): Promise<number> {
    const { text } = await api.get('/metrics')
    return Number(new RegExp(`^${name}\\{operation="reports.types"${labels}\\} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
  }

  test.each(['clickhouse_rows_read_total', 'clickhouse_query_seconds_total'])(
    '%s grows with the reads of a request',
    async (name) => {
      const before = await counted(name)
      // A window of its own, which no test has cached.
      const { rowsRead, engineMs } = await logged(`/v1/reports/types?to=${new Date().toISOString()}`, `types-${name}`)
      const read = name === 'clickhouse_rows_read_total' ? Number(rowsRead) : Number(engineMs) / 1000
      expect(read).toBeGreaterThan(0)
      expect((await counted(name)) - before).toBeCloseTo(read, 3)
    },
  )

  test('counts the engine’s time of a request that read no rows', async () => {
    const before = await counted('clickhouse_query_seconds_total')
    // Of a month that no test stores anything in.
    const [from, to] = [100, 101].map((days) => new Date(Date.now() + days * dayMs).toISOString())
    const own = await logged(`/v1/reports/types?from=${from}&to=${to}`, 'no-rows')
    expect(own).toMatchObject({ status: 200, rowsRead: 0 })
    expect(own.engineMs).toBeGreaterThan(0)
    const told = (await counted('clickhouse_query_seconds_total')) - before
    expect(told).toBeCloseTo(Number(own.engineMs) / 1000, 3)
  })

  test('counts hits and misses of the response cache, whose hits are in the log at debug level alone', async () => {
    const results = () =>
      Promise.all(['hit', 'miss'].map((result) => counted('response_cache_requests_total', `,result="${result}"`)))
    const [hits = 0, misses = 0] = await results()
    const window = `from=${new Date(Date.now() - dayMs).toISOString()}&to=${new Date().toISOString()}`
    const isHit = async (id: string) => {
      const { headers } = await api.get(`/v1/reports/types?${window}`, {
        key,
        headers: { 'X-Request-Id': `hit-${id}` },
      })
      return headers.get('Server-Timing')?.includes('desc=hit')
    }
    const cacheHits: unknown[] = []
    for (let times = 0; times < 3; times++) cacheHits.push(await isHit(`${times}`))
    cacheHits.push(...(await Promise.all([isHit('one'), isHit('another')])))
    expect(cacheHits).toEqual([false, false, true, true, true])
    expect(await results()).toEqual([hits + 3, misses + 2])
    expect(lines.filter((line) => JSON.parse(line).requestId?.startsWith('hit-'))).toHaveLength(2)
  })

  test('counts requests by route and status', async () => {
    await api.get('/v1/me', { key })
    const { status, text, headers } = await api.get('/metrics')
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toContain('text/plain')
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Cache-Control')).toBe('private, no-store')
    expect(text).toMatch(/http_request_duration_seconds_count\{route="\/v1\/me",status="200"\} [1-9]/)
    expect(text).toContain(`build_info{version="${version}"} 1`)
    expect(text).toMatch(/^http_requests_in_flight 1$/m)
    expect(text).toMatch(/^clickhouse_pool_wait_seconds_count\{pool="lookup"\} [1-9]/m)
  })

  test('counts refusals by the budget that was spent', async () => {
    const spender = await api.createKey(await api.createTenant({ overrides: { keyLimit: 1 } }))
    const refusals = async (budget: string) =>
      Number(new RegExp(`^budget_refusals_total\\{budget="${budget}"\\} (\\d+)$`, 'm').exec(await metricsText())?.[1])
    const before = [await refusals('key'), await refusals('tenant')] as const
    for (let times = 0; times < 3; times++) await api.get('/v1/reports/count', { key: spender })
    expect([await refusals('key'), await refusals('tenant')]).toEqual([before[0] + 2, before[1]])
  })

  test('has the age of the newest report of each site, of a site without reports its own, and 31 days at most', async () => {
    const created = (days: number) => ({ createdAt: Date.now() - days * dayMs })
    const sites = {
      reporting: await api.createSite(tenantId, created(40)),
      silent: await api.createSite(tenantId, created(40)),
      unused: await api.createSite(tenantId, created(8)),
      old: await api.createSite(tenantId, created(40)),
      imported: await api.createSite(tenantId),
    }
    const { reporting, silent, imported } = sites
    const report = (siteId: string, age: number) =>
      aReport({ tenantId, siteId, receivedAt: Date.now() - age, retentionDays: 30 })
    await api.insertReports([report(reporting, dayMs), report(reporting, minuteMs), report(silent, 20 * dayMs)])
    await api.insertReports([report(imported, 20 * dayMs)])
    // Ages are read once a minute.
    const own = await startApi()
    const { text } = await own.get('/metrics')
    await own.close()
    const hours = Object.entries(sites).map(([name, site]) => {
      const series = new RegExp(`^newest_report_age_seconds\\{tenant="${tenantId}",site="${site}"\\} (\\S+)$`, 'm')
      return [name, Math.floor(Number(series.exec(text)?.[1]) / 3600)]
    })
    expect(Object.fromEntries(hours)).toEqual({ reporting: 0, silent: 480, unused: 192, old: 744, imported: 0 })
  })

  test.each([
    ['rebound.example', 404],
    ['localhost.example', 404],
    ['127.0.0.1.example:80', 404],
    ['localhost:9090', 200],
    ['127.0.0.1', 200],
    ['[::1]:80', 200],
  ])('is for the host names of this machine only: a Host of %s gets %d', async (host, status) => {
    const [response] = await once(get(`${api.url}/metrics`, { headers: { host } }), 'response')
    response.resume()
    expect(response.statusCode).toBe(status)
  })

  test.each([
    ['GET', 'X-Forwarded-For'],
    ['HEAD', 'X-Real-IP'],
    ['POST', 'X-Forwarded-Host'],
    ['OPTIONS', 'Forwarded'],
    ['GET', 'Via'],
  ])('is for this machine only: a %s with %s is told what it is told of no path', async (method, proxyHeader) => {
    const headers = { [proxyHeader]: '203.0.113.7', 'X-Request-Id': 'proxied' }
    const [metrics, nowhere] = [
      await api.get('/metrics', { headers, method }),
      await api.get('/nowhere', { headers, method }),
    ]
    expect(metrics.status).toBe(404)
    expect(metrics.text).toBe(nowhere.text)
    const told = ({ headers }: ApiResponse) => [...headers].filter(([name]) => name !== 'date')
    expect(told(metrics)).toEqual(told(nowhere))
  })
})
