import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type TestApi } from '../support/api.ts'
import type { TestKey } from '../support/tenants.ts'

let api: TestApi
let key: TestKey
let tenantId: string
const lines: string[] = []

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
  api = await startApi({ log })
  tenantId = await api.createTenant()
  key = await api.createKey(tenantId)
})

afterAll(() => api?.close())

/** The log line of one request. */
async function logged(path: string, requestId: string): Promise<Record<string, unknown>> {
  await api.get(path, { key, headers: { 'X-Request-Id': requestId } })
  const own = lines.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId)
  expect(own).toHaveLength(1)
  return own[0]
}

describe('the log', () => {
  test('has one line a request: id, operation, tenant, status, time and rows read', async () => {
    const line = await logged('/v1/reports/count', 'count-1')
    expect(line).toMatchObject({ operation: 'reports.count', tenantId, keyId: key.id, status: 200, msg: 'request' })
    expect(line.milliseconds).toEqual(expect.any(Number))
    expect(line.rowsRead).toEqual(expect.any(Number))
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

  test('leaves out health checks at info level', async () => {
    await api.get('/livez', { headers: { 'X-Request-Id': 'health-1' } })
    expect(lines.join('')).not.toContain('health-1')
  })
})

describe('/metrics', () => {
  test('counts requests by operation and status, and the rows read', async () => {
    await api.get('/v1/me', { key })
    const { status, text, headers } = await api.get('/metrics')
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toContain('text/plain')
    expect(text).toMatch(/api_request_duration_seconds_count\{operation="me",status="200"\} [1-9]/)
    expect(text).not.toContain(tenantId)
  })

  test('is for this machine only: a proxied request gets 404', async () => {
    const { status, body } = await api.get('/metrics', { headers: { 'X-Forwarded-For': '203.0.113.7' } })
    expect(status).toBe(404)
    expect(body.error.code).toBe('not_found')
  })
})
