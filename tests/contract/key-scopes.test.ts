import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { minuteMs } from '../../schema/durations.ts'
import {
  type ContractApi,
  firstOfEach,
  operations,
  type Query,
  sharedWorlds,
  siteRequest,
  startContractApi,
  type TestWorld,
} from '../support/contract.ts'
import type { TestKey } from '../support/tenants.ts'

let api: ContractApi
let world: TestWorld
let narrowed: TestKey

/** Time does not move, so that a repeated request is the same request; all records are stored before it. */
const to = new Date(Date.now() + minuteMs).toISOString()

beforeAll(async () => {
  api = await startContractApi({ now: () => new Date(to) })
  ;[world] = await sharedWorlds(api)
  narrowed = await api.createKey(world.tenantId, { siteId: world.siteIds[0] })
})
afterAll(() => api.close())

describe('a key of one site', () => {
  const own = () => world.siteIds[0]
  const foreign = () => world.siteIds[1]

  test('/v1/me says which', async () => {
    expect((await api.get('/v1/me', { key: narrowed })).body.data.key.siteId).toBe(own())
    expect((await api.get('/v1/me', { key: world.key })).body.data.key.siteId).toBeNull()
  })

  test('every other operation can be asked about one site', () => {
    const others = operations.all.filter(([name]) => name !== 'me')
    expect(operations.withSite.map(([name]) => name)).toEqual(others.map(([name]) => name))
  })

  describe.each(operations.withSite)('%s', (name, endpoint) => {
    const send = (key: TestKey, query: Query = {}) => api.request(endpoint, { key, siteId: own(), query })

    test('responds as to the tenant’s key that names the site', async () => {
      const whole = await api.request(endpoint, { key: world.key, ...siteRequest(endpoint, own()) })
      expect(whole.status).toBe(200)
      if (name === 'alert-deliveries.list') {
        for (const one of whole.body.data) one.siteIds = one.siteIds.filter((id: string) => id === own())
      }
      const { body, text } = await send(narrowed, { siteId: undefined })
      expect(body).toEqual(whole.body)
      expect(text).not.toContain(foreign())
    })

    test('finds no other site of the tenant', async () => {
      const asked = siteRequest(endpoint, foreign())
      expect(await api.request(endpoint, { key: world.key, ...asked })).toMatchObject({ status: 200 })
      expect(await api.request(endpoint, { key: narrowed, ...asked })).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      })
    })
  })

  // One middleware caches responses, another adds the key's site where the query has none.
  const cached = firstOfEach(
    operations.withSite.filter(([, endpoint]) => endpoint.cache),
    ({ pathParams }) => Object.keys(pathParams),
  )
  test.each(cached)('%s has a cached response for it of its own, also if it names its site', async (_, endpoint) => {
    const send = (key: TestKey, query: Query = {}) => api.request(endpoint, { key, siteId: own(), query })
    const { query } = siteRequest(endpoint, own())
    const whole = await send(world.key, query)
    // Cached from its second time on.
    for (let times = 0; times < 3; times++) {
      await send(world.key)
      expect((await send(narrowed, { siteId: undefined })).body).toEqual(whole.body)
    }
    expect((await send(narrowed, query)).body).toEqual(whole.body)
  })

  const acrossSites = firstOfEach(
    operations.withPage.filter(([, { query }]) => 'siteId' in query),
    ({ window }) => window,
  )
  test.each(acrossSites)('%s refuses a cursor that the tenant’s key made across sites', async (_, endpoint) => {
    const { body } = await api.request(endpoint, { key: world.key, query: { limit: '1' } })
    const { nextCursor: cursor } = body
    expect(cursor).toEqual(expect.any(String))
    expect(await api.request(endpoint, { key: narrowed, query: { cursor } })).toMatchObject({ status: 400 })
  })
})

describe('a key of one origin', () => {
  const origin = 'https://dash.example'
  let key: TestKey

  beforeAll(async () => {
    key = await api.createKey(world.tenantId, { origins: [origin] })
  })

  const statusOf = async (endpoint: Endpoint, headers: Record<string, string>) =>
    (await api.request(endpoint, { key, siteId: world.siteIds[0], headers })).status

  test('is refused by every operation from elsewhere', async () => {
    for (const [name, endpoint] of operations.withPlan) {
      const statuses = [await statusOf(endpoint, { Origin: 'https://evil.example' }), await statusOf(endpoint, {})]
      expect([name, ...statuses]).toEqual([name, 403, 403])
    }
  })

  test('is good for that origin alone', async () => {
    const [[, endpoint]] = operations.withPlan as [(typeof operations.all)[number]]
    expect(await statusOf(endpoint, { Origin: origin })).toBe(200)
    for (const other of [`${origin}.evil.example`, `${origin}/`, 'null']) {
      expect(await statusOf(endpoint, { Origin: other })).toBe(403)
    }
  })

  test('always reads /v1/me', async () => {
    for (const headers of [{}, { Origin: origin }, { Origin: 'https://evil.example' }]) {
      const { status, body } = await api.get('/v1/me', { key, headers: { ...headers } })
      expect(status).toBe(200)
      expect(body.data.key.origins).toEqual([origin])
    }
  })

  test('is told why', async () => {
    const { body } = await api.get('/v1/sites', { key })
    expect(body.error).toMatchObject({ code: 'forbidden', message: expect.stringContaining('Origin') })
  })
})
