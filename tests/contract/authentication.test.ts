import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeKey } from '../../app/api-keys/key-format.ts'
import type { ApiResponse } from '../support/api.ts'
import { type ContractApi, operations, sharedWorlds, startContractApi, type TestWorld } from '../support/contract.ts'

let api: ContractApi
let world: TestWorld
let badHeaders: Record<string, string>[]

beforeAll(async () => {
  api = await startContractApi()
  ;[world] = await sharedWorlds(api)
  const good = world.key.key
  const revoked = await api.createKey(world.tenantId, { revokedAt: new Date() })
  const expired = await api.createKey(world.tenantId, { expiresAt: new Date(Date.now() - 1) })
  const bearers = [
    makeKey(),
    revoked.key,
    expired.key,
    `${good}0`,
    good.slice(0, -1),
    `${good} ${good}`,
    good.replace('srk_live_', 'srk_test_'),
    good.toLowerCase(),
    "' OR 1=1 --",
    '',
  ]
  const headers = [good, `Basic ${good}`, `Bearer${good}`, ...bearers.map((key) => `Bearer ${key}`)]
  badHeaders = [{}, ...headers.map((Authorization) => ({ Authorization }))]
})
afterAll(() => api.close())

/** All that a caller can tell, the request id apart. */
function tellable({ status, headers, text, body }: ApiResponse) {
  const told = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date')
  return JSON.stringify([status, told, text.replace(body.error.requestId, 'the request id')])
}

const [, me] = operations.all.find(([name]) => name === 'me') as (typeof operations.all)[number]

// Every operation reads the header with the same middleware.
describe('the header Authorization', () => {
  test('gets the same bytes for a missing, malformed, unknown, revoked and expired key', async () => {
    const responses = await Promise.all(badHeaders.map((headers) => api.request(me, { headers })))
    const [first] = responses
    expect(first?.status).toBe(401)
    expect(first?.body.error.code).toBe('invalid_api_key')
    expect(first?.headers.get('WWW-Authenticate')).toBe('Bearer')
    expect(first?.headers.has('Retry-After')).toBe(false)
    expect(first?.headers.has('RateLimit-Limit')).toBe(false)
    expect(new Set(responses.map(tellable)).size).toBe(1)
  })

  test('takes the scheme in any case, and any number of spaces after it', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      const headers = { Authorization: `${scheme} ${world.key.key}` }
      expect(await api.request(me, { headers })).toMatchObject({ status: 200 })
    }
  })
})

test.each(operations.all)('%s sends the same bytes as every operation without a valid key', async (_, endpoint) => {
  const first = tellable(await api.request(me, {}))
  const invalid = [{}, { headers: { Authorization: `Bearer ${makeKey()}` } }, { query: { nonsense: '1' } }]
  for (const options of invalid) expect(tellable(await api.request(endpoint, options))).toBe(first)
})

test('a revoked key is rejected by every operation once it is forgotten, even in constant use', async () => {
  const own = await startContractApi({ keyTtlMs: 500 })
  const key = await api.createKey(world.tenantId)
  const statuses = () =>
    Promise.all(
      operations.all.map(async ([, one]) => (await own.request(one, { key, siteId: world.siteIds[0] })).status),
    )
  expect(await statuses()).toEqual(operations.all.map(() => 200))
  await api.revokeKey(world.tenantId, key)
  await expect.poll(async () => (await own.request(me, { key })).status, { interval: 100 }).toBe(401)
  expect(await statuses()).toEqual(operations.all.map(() => 401))
  await own.close()
})
