import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ContractApi,
  createWorld,
  operations,
  type Query,
  siteRequest,
  startContractApi,
  type TestWorld,
} from '../support/contract.ts'
import type { TestKey } from '../support/tenants.ts'

let api: ContractApi
let world: TestWorld
let narrowed: TestKey

/** Time does not move, so that a repeated request is the same request. */
const to = new Date().toISOString()

beforeAll(async () => {
  api = await startContractApi({ now: () => new Date(to) })
  world = await createWorld(api)
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

    test('responds as to the tenant’s key that names the site, also where that key has just asked the same', async () => {
      const asked = siteRequest(endpoint, own())
      const whole = await api.request(endpoint, { key: world.key, ...asked })
      expect(whole.status).toBe(200)
      if (name === 'alert-deliveries.list') {
        for (const one of whole.body.data) one.siteIds = one.siteIds.filter((id: string) => id === own())
      }
      // A response that is cached at all is cached from its second time on.
      for (let times = endpoint.cache ? 3 : 1; times > 0; times--) {
        await send(world.key)
        const { body, text } = await send(narrowed, { siteId: undefined })
        expect(body).toEqual(whole.body)
        expect(text).not.toContain(foreign())
      }
      expect((await send(narrowed, asked.query)).body).toEqual(whole.body)
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

  const acrossSites = operations.withPage.filter(([, { query }]) => 'siteId' in query)
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

  test.each(operations.withPlan)('is refused by %s from elsewhere', async (_, endpoint) => {
    const from = async (headers: Record<string, string>) =>
      (await api.request(endpoint, { key, siteId: world.siteIds[0], headers })).status
    expect(await from({ Origin: origin })).toBe(200)
    for (const other of ['https://evil.example', `${origin}.evil.example`, `${origin}/`, 'null']) {
      expect(await from({ Origin: other })).toBe(403)
    }
    expect(await from({})).toBe(403)
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
