import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiResponse, RequestOptions } from '../support/api.ts'
import {
  type ContractApi,
  firstOfEach,
  operations,
  sharedWorlds,
  startContractApi,
  type TestWorld,
  urlOf,
} from '../support/contract.ts'

let api: ContractApi
let world: TestWorld

beforeAll(async () => {
  api = await startContractApi()
  ;[world] = await sharedWorlds(api)
})
afterAll(() => api.close())

/** Names of the headers that the API chose. */
const ownHeaders = ({ headers }: ApiResponse) =>
  [...headers.keys()].filter((name) => !['connection', 'keep-alive', 'transfer-encoding'].includes(name))

/** Of a request without gzip, so that both have the same body. */
const lengthOf = async (path: string, options: RequestOptions) => {
  const headers = { 'Accept-Encoding': 'identity', 'X-Request-Id': 'the-same' }
  return (await api.get(path, { ...options, headers })).headers.get('Content-Length')
}

const otherMethods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']

// Responses of a path are sent in one of these ways.
const sending = firstOfEach(operations.all, ({ scope, cache, mediaTypes }) => [scope, cache, mediaTypes])

describe.each(sending)('%s', (_, endpoint) => {
  test('responds to HEAD as to GET, without the body', async () => {
    const asking = { key: world.key, siteId: world.siteIds[0] }
    const [get, head] = [
      await api.request(endpoint, asking),
      await api.request(endpoint, { ...asking, method: 'HEAD' }),
    ]
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    expect(ownHeaders(head)).toEqual(ownHeaders(get))
  })

  test('has the Content-Length of GET for HEAD, and of its errors', async () => {
    const path = urlOf(endpoint, { siteId: world.siteIds[0] })
    for (const options of [{ key: world.key }, {}]) {
      const [get, head] = [await lengthOf(path, options), await lengthOf(path, { ...options, method: 'HEAD' })]
      expect(head).toBe(get)
    }
  })
})

test.each(operations.all)(
  '%s responds to HEAD with the status of an error, and rejects other methods',
  async (...one) => {
    const [, endpoint] = one
    expect(await api.request(endpoint, { method: 'HEAD' })).toMatchObject({ status: 401, text: '' })
    for (const method of otherMethods) {
      const { status, headers, body } = await api.get(urlOf(endpoint, {}), { key: world.key, method })
      expect([method, status, body.error.code]).toEqual([method, 405, 'method_not_allowed'])
      expect(headers.get('Allow')).toBe('GET, HEAD')
    }
  },
)

test.each(['/livez', '/readyz', '/readyz/self', '/openapi.json', '/docs', '/docs/start.js', '/metrics'])(
  '%s takes GET and HEAD only',
  async (path) => {
    expect(await api.get(path)).toMatchObject({ status: 200 })
    expect(await api.get(path, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    expect(await lengthOf(path, { method: 'HEAD' })).toMatch(/^\d+$/)
    if (path !== '/metrics') expect(await lengthOf(path, { method: 'HEAD' })).toBe(await lengthOf(path, {}))
    const posted = await api.get(path, { method: 'POST' })
    expect(posted.status).toBe(405)
    expect(posted.headers.get('Allow')).toBe('GET, HEAD')
  },
)

test.each(['/livez', '/readyz', '/readyz/self'])(
  '%s takes OPTIONS, as the probes of some balancers send it',
  async (path) => {
    const { status, headers, text } = await api.get(path, { method: 'OPTIONS' })
    expect({ status, text, allow: headers.get('Allow') }).toEqual({
      status: 204,
      text: '',
      allow: 'GET, HEAD, OPTIONS',
    })
  },
)

test.each([
  '/v1',
  '/v1/',
  '/v2/me',
  '/v1/me/',
  '/v1/Reports',
  '/v1/reports/unknown',
  '/v1/%',
  '//v1/me',
  '/docs/..%2fapi.ts',
])('%s is no path of the API', async (path) => {
  const response = await api.get(path, { key: world.key })
  expect(response.status).toBe(404)
  expect(response.body.error.code).toBe('not_found')
})

describe('the request id', () => {
  test.each(['a', 'Trace-1.2_3', 'x'.repeat(64)])('is the caller’s own: %s', async (id) => {
    const { headers, body } = await api.get('/v1/me', { headers: { 'X-Request-Id': id } })
    expect(headers.get('X-Request-Id')).toBe(id)
    expect(body.error.requestId).toBe(id)
  })

  test.each(['', 'x'.repeat(65), 'a b', 'a/b', '{"a":1}', 'ä'])('is a new one instead of %j', async (id) => {
    const { headers, body } = await api.get('/v1/me', { headers: { 'X-Request-Id': id } })
    expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(body.error.requestId).toBe(headers.get('X-Request-Id'))
  })

  test('is new for each request, and on every kind of response', async () => {
    const paths = [
      '/v1/me',
      '/livez',
      '/readyz',
      '/readyz/self',
      '/docs',
      '/docs/start.js',
      '/openapi.json',
      '/nowhere',
      '/metrics',
    ]
    const responses = await Promise.all(paths.map((path) => api.get(path, { key: world.key })))
    const ids = responses.map(({ headers }) => headers.get('X-Request-Id'))
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(ids).size).toBe(paths.length)
  })
})
