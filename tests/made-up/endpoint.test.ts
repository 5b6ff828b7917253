import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryBudgets } from '../../app/budgets/memory-budgets.ts'
import {
  type ContractApi,
  createWorld,
  startContractApi,
  type TestWorld,
  unknownId,
  urlOf,
} from '../support/contract.ts'
import { madeUpEndpoint } from './made-up-endpoint.ts'

let api: ContractApi
let world: TestWorld
let other: TestWorld

beforeAll(async () => {
  api = await startContractApi({ budgets: createMemoryBudgets({ now: () => 0 }) })
  world = await createWorld(api, 1)
  other = await createWorld(api, 2)
})
afterAll(() => api.close())

const window = { from: '2026-01-01T00:00:00Z' }

test('a made-up endpoint responds with the tenant’s data', async () => {
  const [siteId] = world.siteIds
  const { status, body } = await api.request(madeUpEndpoint, { key: world.key, siteId })
  expect(status).toBe(200)
  expect(body.order).toBe('largest')
  expect(body.data.length).toBeGreaterThan(1)
})

test.each([
  ['a parameter that it does not take', { nonsense: '1' }, /no parameter "nonsense"; allowed: unit, order, from, to/],
  ['a value that is not allowed', { order: 'random' }, /^order .*, not "random"$/],
  ['a repeated parameter', { order: ['largest', 'largest'] }, /^order was sent 2 times/],
  ['a window that is too long', window, /31 days|retention/],
])('a made-up endpoint rejects %s', async (_, query, message) => {
  const { status, body } = await api.request(madeUpEndpoint, { key: world.key, siteId: world.siteIds[0], query })
  expect(status).toBe(400)
  expect(body.error).toMatchObject({ code: 'bad_request', message: expect.stringMatching(message) })
})

test('a made-up endpoint needs a key, takes GET alone, and knows no site but the tenant’s', async () => {
  const [siteId] = world.siteIds
  expect(await api.request(madeUpEndpoint, { siteId })).toMatchObject({ status: 401 })
  const url = urlOf(madeUpEndpoint, { siteId })
  expect(await api.get(url, { key: world.key, method: 'POST' })).toMatchObject({ status: 405 })
  for (const foreign of [other.siteIds[0], unknownId]) {
    expect(await api.request(madeUpEndpoint, { key: world.key, siteId: foreign })).toMatchObject({ status: 404 })
  }
})

test('a made-up endpoint charges the budgets it declares, and is rejected when one is spent', async () => {
  const tenantId = await api.createTenant({ overrides: { keyLimit: 2, tenantLimit: 3 } })
  const siteId = await api.createSite(tenantId)
  const key = await api.createKey(tenantId)
  const first = await api.request(madeUpEndpoint, { key, siteId })
  expect(first.headers.get('RateLimit-Policy')).toBe('"key";q=2;w=60, "tenant";q=3;w=60')
  await api.request(madeUpEndpoint, { key, siteId })
  expect(await api.request(madeUpEndpoint, { key, siteId })).toMatchObject({ status: 429 })
})

test('a made-up endpoint requires the plan it declares', async () => {
  const tenantId = await api.createTenant({ plan: 'free', overrides: { capabilities: ['api'] } })
  const siteId = await api.createSite(tenantId)
  const key = await api.createKey(tenantId)
  expect(await api.request(madeUpEndpoint, { key, siteId })).toMatchObject({ status: 200 })
  expect(await api.request(madeUpEndpoint, { key, siteId, query: { order: 'smallest' } })).toMatchObject({
    status: 403,
  })
})

test('a made-up endpoint’s cached response is never another tenant’s', async () => {
  const query = { from: new Date(Date.now() - 86_400_000).toISOString(), to: new Date().toISOString() }
  const bodies = new Map<TestWorld, string>()
  for (let times = 0; times < 3; times++) {
    for (const tenant of [world, other]) {
      const { key, siteIds } = tenant
      const { text, headers } = await api.request(madeUpEndpoint, { key, siteId: siteIds[0], query })
      expect(text).toBe(bodies.get(tenant) ?? text)
      bodies.set(tenant, text)
      const again = { 'If-None-Match': headers.get('ETag') ?? '' }
      expect(await api.request(madeUpEndpoint, { key, siteId: siteIds[0], query, headers: again })).toMatchObject({
        status: 304,
      })
    }
  }
  expect(bodies.get(world)).not.toBe(bodies.get(other))
})

test('a made-up endpoint is described in OpenAPI, with its parameters, response and plan', async () => {
  const { body } = await api.get('/openapi.json')
  const operation = body.paths[madeUpEndpoint.path].get
  expect(operation).toMatchObject({ operationId: 'reportsMadeUp', tags: ['Reports'] })
  expect(operation.parameters.map(({ name }: { name: string }) => name)).toEqual([
    'siteId',
    'unit',
    'order',
    'from',
    'to',
    'last',
  ])
  expect(operation.parameters).toContainEqual(
    expect.objectContaining({
      name: 'unit',
      required: true,
      schema: expect.objectContaining({ examples: ['reports'] }),
    }),
  )
  expect(operation.description).toContain('`order=smallest` needs the')
  expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['200', '304', '400', '401', '403', '404']))
  expect(operation.responses['200'].content['application/json'].schema.properties).toHaveProperty('order')
})
