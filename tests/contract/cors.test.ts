import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../support/api.ts'
import { firstOfEach, operations, sharedWorlds, type TestWorld, urlOf } from '../support/contract.ts'
import type { TestKey } from '../support/tenants.ts'

const origin = 'https://dash.example'

let api: TestApi
let key: TestKey
let world: TestWorld

beforeAll(async () => {
  api = await startApi({ corsOrigins: [origin, 'https://ops.example'] })
  ;[world] = await sharedWorlds(api)
  key = world.key
})
afterAll(() => api.close())

const preflight = (from: string) =>
  api.get('/v1/reports/histogram', {
    method: 'OPTIONS',
    headers: {
      Origin: from,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization,if-none-match',
    },
  })

test('a preflight from a named origin is allowed', async () => {
  const { status, headers } = await preflight(origin)
  expect(status).toBe(204)
  expect(headers.get('Access-Control-Allow-Origin')).toBe(origin)
  expect(headers.get('Access-Control-Allow-Headers')).toContain('Authorization')
})

test('a preflight from another origin is not', async () => {
  expect((await preflight('https://evil.example')).headers.get('Access-Control-Allow-Origin')).toBeNull()
})

test('a page of a named origin may read a response and what it says in headers', async () => {
  const { status, headers } = await api.get('/v1/reports/histogram', { key, headers: { Origin: origin } })
  expect(status).toBe(200)
  expect(headers.get('Access-Control-Allow-Origin')).toBe(origin)
  const exposed = headers.get('Access-Control-Expose-Headers')?.split(',')
  expect(exposed).toEqual(
    expect.arrayContaining([
      'ETag',
      'RateLimit-Remaining',
      'RateLimit',
      'Retry-After',
      'X-Request-Id',
      'Link',
      'Content-Disposition',
      'Export-Report-Count',
    ]),
  )
  for (const word of ['Authorization', 'Origin']) expect(headers.get('Vary')).toContain(word)
})

const sending = firstOfEach(operations.all, ({ scope, cache, mediaTypes }) => [scope, cache, mediaTypes])

test.each(sending)('%s varies by Origin, and HEAD by what GET does', async (_, endpoint) => {
  const varyOf = async (method: string) => {
    const path = urlOf(endpoint, { siteId: world.siteIds[0] })
    const { status, headers } = await api.get(path, { key, method, headers: { Origin: origin } })
    expect(status).toBe(200)
    return headers.get('Vary')?.split(', ').sort()
  }
  expect(await varyOf('GET')).toEqual(['Accept-Encoding', 'Authorization', 'Origin'])
  expect(await varyOf('HEAD')).toEqual(['Accept-Encoding', 'Authorization', 'Origin'])
})

test('a page of a named origin may read a 304 and an error', async () => {
  const { headers } = await api.get('/v1/sites', { key })
  const tag = { 'If-None-Match': headers.get('ETag') ?? '' }
  const unchanged = await api.get('/v1/sites', { key, headers: { Origin: origin, ...tag } })
  const refused = await api.get('/v1/sites', { headers: { Origin: origin } })
  expect([unchanged.status, refused.status]).toEqual([304, 401])
  for (const response of [unchanged, refused]) {
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(origin)
  }
})

test('without named origins there is none', async () => {
  const closed = await startApi()
  const { status, headers } = await closed.get('/v1/me', { key, headers: { Origin: origin } })
  expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([200, null])
  expect((await closed.get('/v1/me', { method: 'OPTIONS' })).status).toBe(405)
  await closed.close()
})
