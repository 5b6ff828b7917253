import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ContractApi,
  firstOfEach,
  operations,
  sharedWorlds,
  siteRequest,
  startContractApi,
  type TestWorld,
} from '../support/contract.ts'

/** Now stands still, as it does for a caller who names the window. */
const now = new Date()

let api: ContractApi
let world: TestWorld

beforeAll(async () => {
  api = await startContractApi({ now: () => now })
  ;[world] = await sharedWorlds(api)
})
afterAll(() => api.close())

// One middleware sends what handlers return, by these properties of their operations.
const representations = firstOfEach(
  operations.all.filter(([, { mediaTypes }]) => mediaTypes === undefined),
  ({ scope, cache }) => [scope, cache],
)

describe.each(representations)('%s', (_, endpoint) => {
  const send = (headers: Record<string, string> = {}, key = world.key) =>
    api.request(endpoint, { ...siteRequest(endpoint, world.siteIds[0]), key, headers })

  test('sends a strong ETag, and 304 when If-None-Match has it, but an error as without it', async () => {
    const first = await send()
    const etag = first.headers.get('ETag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    expect(first.headers.get('Cache-Control')).toBe('private, no-cache')
    expect(first.headers.get('Vary')).toBe('Accept-Encoding, Authorization')
    const again = await send({ 'If-None-Match': etag })
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' })
    expect(again.headers.get('ETag')).toBe(etag)
    expect(again.headers.get('RateLimit-Remaining')).toMatch(/^\d+$/)
    expect(await send({ 'If-None-Match': '"other"' })).toMatchObject({ status: 200, text: first.text })
    // An error is never a match.
    const refused = await api.request(endpoint, {
      ...siteRequest(endpoint, world.siteIds[0]),
      headers: { 'If-None-Match': etag },
    })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('Cache-Control')).toBe('private, no-store')
    expect(refused.headers.has('ETag')).toBe(false)
  })
})

describe('If-None-Match', () => {
  const [, count] = operations.all.find(([name]) => name === 'reports.count') ?? []
  const send = async (ifNoneMatch: (etag: string) => string) => {
    if (!count) throw new Error('There is no reports.count')
    const etag = (await api.request(count, { key: world.key })).headers.get('ETag') ?? ''
    return (await api.request(count, { key: world.key, headers: { 'If-None-Match': ifNoneMatch(etag) } })).status
  }

  test.each([
    ['weak', (etag: string) => `W/${etag}`],
    ['among others', (etag: string) => `"other", ${etag}`],
    ['any', () => '*'],
  ])('holds the tag: %s', async (_, ifNoneMatch) => {
    expect(await send(ifNoneMatch)).toBe(304)
  })

  test.each([
    ['without quotes', (etag: string) => etag.replaceAll('"', '')],
    ['empty', () => ''],
  ])('does not hold it: %s', async (_, ifNoneMatch) => {
    expect(await send(ifNoneMatch)).toBe(200)
  })
})

describe.each(['/openapi.json', '/docs', '/docs/start.js', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css'])(
  '%s',
  (path) => {
    const send = (headers: Record<string, string>) => api.get(path, { headers })

    test.each(['identity', 'gzip'])('sends a strong ETag for %s', async (accepts) => {
      const first = await send({ 'Accept-Encoding': accepts })
      const etag = first.headers.get('ETag') ?? ''
      expect(etag).toMatch(/^"[\w-]+"$/)
      expect(first.headers.get('Vary')).toBe('Accept-Encoding')
      const again = await send({ 'Accept-Encoding': accepts, 'If-None-Match': etag })
      expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' })
      expect(again.headers.get('ETag')).toBe(etag)
      expect(again.headers.get('Cache-Control')).toBe('public, max-age=3600')
    })

    test('is compressed where it is large and the client accepts gzip', async () => {
      const [plain, small] = [await send({ 'Accept-Encoding': 'identity' }), await send({ 'Accept-Encoding': 'gzip' })]
      const isLarge = Buffer.byteLength(plain.text) >= 256
      expect(plain.headers.get('Content-Encoding')).toBeNull()
      expect(small.headers.get('Content-Encoding')).toBe(isLarge ? 'gzip' : null)
      expect(small.text).toBe(plain.text)
      expect(small.headers.get('ETag') === plain.headers.get('ETag')).toBe(!isLarge)
    })
  },
)

describe('a large response', () => {
  const path = '/v1/reports/histogram?bucketSize=15m'
  const send = async (headers: Record<string, string>) => {
    const response = await fetch(api.url + path, { headers: { Authorization: `Bearer ${world.key.key}`, ...headers } })
    const text = await response.text()
    return { encoding: response.headers.get('Content-Encoding'), etag: response.headers.get('ETag'), text, response }
  }

  test.each(['gzip', 'br, gzip;q=0.5', '*', 'GZIP'])(
    'is compressed for %s, under an ETag of its own',
    async (accepts) => {
      const plain = await send({ 'Accept-Encoding': 'identity' })
      const small = await send({ 'Accept-Encoding': accepts })
      expect(plain.encoding).toBeNull()
      expect(small.encoding).toBe('gzip')
      expect(small.text).toBe(plain.text)
      expect(small.etag).not.toBe(plain.etag)
      const again = await send({ 'Accept-Encoding': accepts, 'If-None-Match': small.etag ?? '' })
      expect(again.response.status).toBe(304)
    },
  )

  test.each(['identity', 'br', 'gzip;q=0', '*;q=0'])('is sent uncompressed for %s', async (accepts) => {
    expect((await send({ 'Accept-Encoding': accepts })).encoding).toBeNull()
  })

  test('is not compressed when it is small', async () => {
    const response = await fetch(`${api.url}/v1/me`, {
      headers: { Authorization: `Bearer ${world.key.key}`, 'Accept-Encoding': 'gzip' },
    })
    expect(response.headers.get('Content-Encoding')).toBeNull()
    await response.text()
  })
})
