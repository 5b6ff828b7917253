import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import {
  type ContractApi,
  emptyStatus,
  firstOfEach,
  operations,
  sharedWorlds,
  siteRequest,
  startContractApi,
  type TestWorld,
  unknownId,
} from '../support/contract.ts'
import type { TestKey } from '../support/tenants.ts'
import { worldScanIds } from '../support/world-records.ts'

let api: ContractApi
let world: TestWorld
let foreign: TestWorld

beforeAll(async () => {
  api = await startContractApi()
  ;[world, foreign] = await sharedWorlds(api)
})
afterAll(() => api.close())

describe('on a plan without API access', () => {
  let key: TestKey

  beforeAll(async () => {
    key = await api.createKey(await api.createTenant({ plan: 'free' }))
  })

  test.each(operations.withPlan)(
    '%s requires an upgrade before it validates parameters, without budget headers',
    async (_, endpoint) => {
      for (const query of [{}, { nonsense: '1' }]) {
        const { status, body, headers } = await api.request(endpoint, { key, query })
        expect([status, body.error.code]).toEqual([403, 'plan_upgrade_required'])
        expect([headers.get('RateLimit-Limit'), headers.get('RateLimit')]).toEqual([null, null])
      }
    },
  )

  test('/v1/me responds', async () => {
    const { status, body } = await api.get('/v1/me', { key })
    expect(status).toBe(200)
    expect(body.data.tenant.plan).toBe('free')
  })
})

// One middleware requires API access, another what an operation requires beyond it.
const serving = firstOfEach(operations.withPlan, ({ requires }) => requires)

test.each(serving)('%s serves a tenant whose contract adds API access to its plan', async (_, endpoint) => {
  const needed = (endpoint.requires ?? []).filter(({ when }) => !when).map(({ capability }) => capability)
  const tenantId = await api.createTenant({ plan: 'free', overrides: { capabilities: ['api', ...needed] } })
  const [siteId, key] = [await api.createSite(tenantId), await api.createKey(tenantId)]
  expect(await api.request(endpoint, { key, siteId })).toMatchObject({ status: emptyStatus(endpoint) })
})

const ofSite = (endpoint: Endpoint, siteId: string) =>
  api.request(endpoint, { key: world.key, ...siteRequest(endpoint, siteId) })

test.each(operations.withSite)(
  '%s has the same response for another tenant’s site as for a missing site',
  async (...one) => {
    const [, endpoint] = one
    const responses = await Promise.all([foreign.siteIds[0], unknownId].map((id) => ofSite(endpoint, id)))
    for (const { status, body } of responses) {
      expect(status).toBe(404)
      expect(body.error).toEqual({ ...responses[0]?.body.error, requestId: body.error.requestId })
    }
    expect(responses[0]?.body.error.code).toBe('not_found')
    expect((await ofSite(endpoint, 'not-a-uuid')).body.error.message).toContain('siteId must be a UUID')
  },
)

// One middleware finds the site of path or query.
const finding = firstOfEach(operations.withSite, ({ pathParams, cache }) => ['siteId' in pathParams, cache])

describe.each(finding)('%s', (_, endpoint) => {
  test('accepts an id in capitals', async () => {
    expect(await ofSite(endpoint, world.siteIds[1].toUpperCase())).toMatchObject({ status: 200 })
  })

  test('finds no site under an id that is no UUID of the RFC', async () => {
    expect(await ofSite(endpoint, 'ffffffff-ffff-ffff-ffff-ffffffffffff')).toMatchObject({ status: 404 })
  })

  test('does not find another tenant’s site that its owner has just read', async () => {
    const request = siteRequest(endpoint, foreign.siteIds[1])
    expect(await api.request(endpoint, { key: foreign.key, ...request })).toMatchObject({ status: 200 })
    expect(await ofSite(endpoint, foreign.siteIds[1])).toMatchObject({ status: 404 })
  })

  test('refuses the id of a site that is no UUID', async () => {
    const ids = ['1', '{00000000-0000-4000-8000-000000000000}', '000000000000400080000000000000000']
    for (const siteId of ids) {
      const { status, body } = await ofSite(endpoint, siteId)
      const message = expect.stringContaining('siteId must be a UUID')
      expect({ siteId, status, ...body.error }).toMatchObject({ status: 400, message })
    }
  })
})

test.each(operations.withMonitoredPage)('%s does not find a page of the tenant’s other site', async (_, endpoint) => {
  const [site, other] = world.siteIds
  const path = worldScanIds(other)
  const query = 'pageId' in endpoint.query ? { pageId: path.pageId } : {}
  const send = (siteId: string) => api.request(endpoint, { key: world.key, siteId, path, query })
  expect(await send(other)).toMatchObject({ status: 200 })
  expect(await send(site)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
})
