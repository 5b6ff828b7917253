import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Capability } from '../../schema/plans.ts'
import {
  type ContractApi,
  createWorlds,
  emptyStatus,
  operations,
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
  ;[world, foreign] = await createWorlds(api, [1, 1])
})
afterAll(() => api.close())

describe('on a plan without API access', () => {
  let key: TestKey

  beforeAll(async () => {
    key = await api.createKey(await api.createTenant({ plan: 'free' }))
  })

  test.each(operations.withPlan)('%s requires an upgrade, without budget headers', async (_, endpoint) => {
    const response = await api.request(endpoint, { key })
    expect(response.status).toBe(403)
    expect(response.body.error.code).toBe('plan_upgrade_required')
    const { headers } = response
    expect([headers.get('RateLimit-Limit'), headers.get('RateLimit')]).toEqual([null, null])
  })

  test.each(operations.withPlan)('%s requires an upgrade before it validates parameters', async (_, endpoint) => {
    const response = await api.request(endpoint, { key, query: { nonsense: '1' } })
    expect(response.body.error.code).toBe('plan_upgrade_required')
  })

  test('/v1/me responds', async () => {
    const { status, body } = await api.get('/v1/me', { key })
    expect(status).toBe(200)
    expect(body.data.tenant.plan).toBe('free')
  })
})

/** A tenant of the free plan with one site for each list of capabilities that its contract adds. */
const exceptions = new Map<string, Promise<{ readonly key: TestKey; readonly siteId: string }>>()

function exceptionWith(added: readonly Capability[]) {
  const made = exceptions.get(added.join()) ?? createException(['api', ...added])
  exceptions.set(added.join(), made)
  return made
}

async function createException(held: Capability[]) {
  const tenantId = await api.createTenant({ plan: 'free', overrides: { capabilities: held } })
  return { siteId: await api.createSite(tenantId), key: await api.createKey(tenantId) }
}

test.each(operations.withPlan)('%s serves a tenant whose contract adds API access to its plan', async (_, endpoint) => {
  const needed = (endpoint.requires ?? []).filter(({ when }) => !when).map(({ capability }) => capability)
  const asking = await exceptionWith(needed)
  expect(await api.request(endpoint, asking)).toMatchObject({ status: emptyStatus(endpoint) })
})

describe.each(operations.withSite)('%s', (_, endpoint) => {
  test('accepts an id in capitals', async () => {
    const siteId = world.siteIds[1].toUpperCase()
    expect(await api.request(endpoint, { key: world.key, ...siteRequest(endpoint, siteId) })).toMatchObject({
      status: 200,
    })
  })

  test('responds to another tenant’s site as to one that does not exist', async () => {
    const notRfc = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    const ids = [foreign.siteIds[0], unknownId, notRfc]
    const responses = await Promise.all(
      ids.map((id) => api.request(endpoint, { key: world.key, ...siteRequest(endpoint, id) })),
    )
    for (const { status, body } of responses) {
      expect(status).toBe(404)
      expect(body.error).toEqual({ ...responses[0]?.body.error, requestId: body.error.requestId })
    }
    expect(responses[0]?.body.error.code).toBe('not_found')
  })

  test('does not find another tenant’s site that its owner has just read', async () => {
    const asking = siteRequest(endpoint, foreign.siteIds[1])
    expect(await api.request(endpoint, { key: foreign.key, ...asking })).toMatchObject({ status: 200 })
    expect(await api.request(endpoint, { key: world.key, ...asking })).toMatchObject({ status: 404 })
  })

  test('refuses the id of a site that is no UUID', async () => {
    const ids = ['1', 'not-a-uuid', '{00000000-0000-4000-8000-000000000000}', '000000000000400080000000000000000']
    for (const siteId of ids) {
      const { status, body } = await api.request(endpoint, { key: world.key, ...siteRequest(endpoint, siteId) })
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
