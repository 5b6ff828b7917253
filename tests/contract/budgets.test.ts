import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createMemoryBudgets } from '../../app/budgets/memory-budgets.ts'
import { createRedisBudgets } from '../../app/budgets/redis-budgets.ts'
import type { ApiResponse } from '../support/api.ts'
import { type ContractApi, emptyStatus, firstOfEach, operations, startContractApi } from '../support/contract.ts'
import { patientTimeouts } from '../support/patience.ts'

/** It stands still, so that no token comes back; far in the future, so that Redis does not expire the buckets by its own. */
const clock = { now: () => Date.UTC(2100, 0, 1) * 1000 }

describe.each(['memory', 'Redis'])('with budgets in %s', (store) => {
  let api: ContractApi

  beforeAll(async () => {
    const { redisUrl } = inject('servers')
    api = await startContractApi({
      budgets:
        store === 'Redis'
          ? await createRedisBudgets(redisUrl, { ...clock, timeouts: patientTimeouts })
          : createMemoryBudgets(clock),
    })
  })
  afterAll(() => api.close())

  async function tenant(keyLimit: number, tenantLimit: number) {
    const tenantId = await api.createTenant({ overrides: { keyLimit, tenantLimit } })
    const [siteId, ...keys] = await Promise.all([
      api.createSite(tenantId),
      api.createKey(tenantId),
      api.createKey(tenantId),
    ])
    return { siteId, keys }
  }

  function expectRefused({ status, headers, body }: ApiResponse) {
    expect(status).toBe(429)
    expect(body.error.code).toBe('rate_limited')
    expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
    expect(body.error.message).toMatch(new RegExp(` wait ${headers.get('Retry-After')} s$`))
    expect(headers.get('RateLimit-Remaining')).toBe('0')
    expect(headers.get('RateLimit-Reset')).toBe(headers.get('Retry-After'))
    expect(headers.get('RateLimit')).toContain(`;r=0;t=${headers.get('Retry-After')}`)
  }

  test('every operation spends the budgets that it declares, also for a request that is rejected', async () => {
    const { siteId, keys } = await tenant(1000, 1000)
    for (const [name, endpoint] of operations.all) {
      const { status, headers } = await api.request(endpoint, { key: keys[0], siteId, query: { nonsense: '1' } })
      const spent = [...(headers.get('RateLimit-Policy') ?? '').matchAll(/"(\w+)"/g)].map(([, budget]) => budget)
      expect([name, status, spent]).toEqual([name, 400, endpoint.charges])
    }
  })

  // One middleware charges what an operation declares.
  describe.each(firstOfEach(operations.all, ({ charges }) => charges))('%s', (_, endpoint) => {
    const spendsTenant = endpoint.charges.includes('tenant')
    const served = emptyStatus(endpoint)

    test('reports the budget nearest to running out in whole numbers', async () => {
      const { siteId, keys } = await tenant(50, 40)
      const { headers } = await api.request(endpoint, { key: keys[0], siteId })
      expect(headers.get('RateLimit-Limit')).toBe(spendsTenant ? '40' : '50')
      expect(headers.get('RateLimit-Remaining')).toBe(spendsTenant ? '39' : '49')
      expect(headers.get('RateLimit-Reset')).toBe('2')
      expect(headers.get('RateLimit-Policy')).toBe(
        spendsTenant ? '"key";q=50;w=60, "tenant";q=40;w=60' : '"key";q=50;w=60',
      )
      expect(headers.get('RateLimit')).toBe(spendsTenant ? '"key";r=49;t=2, "tenant";r=39;t=2' : '"key";r=49;t=2')
    })

    test('charges a request that is rejected for its parameters', async () => {
      const { siteId, keys } = await tenant(2, 1000)
      const asking = { key: keys[0], siteId, query: { nonsense: '1' } }
      const refused = await api.request(endpoint, asking)
      expect(refused.status).toBe(400)
      expect(refused.headers.get('RateLimit-Remaining')).toBe('1')
      await api.request(endpoint, asking)
      expectRefused(await api.request(endpoint, asking))
    })

    test('rejects a request over the key’s budget, but not another key’s', async () => {
      const { siteId, keys } = await tenant(2, 1000)
      const statuses = [
        await api.request(endpoint, { key: keys[0], siteId }),
        await api.request(endpoint, { key: keys[0], siteId }),
      ].map(({ status }) => status)
      expect(statuses).toEqual([served, served])
      expectRefused(await api.request(endpoint, { key: keys[0], siteId }))
      expect(await api.request(endpoint, { key: keys[1], siteId })).toMatchObject({ status: served })
    })

    test('shares the tenant’s budget among its keys, where it charges it', async () => {
      const { siteId, keys } = await tenant(1000, 1)
      expect(await api.request(endpoint, { key: keys[0], siteId })).toMatchObject({ status: served })
      const second = await api.request(endpoint, { key: keys[1], siteId })
      if (spendsTenant) expectRefused(second)
      else expect(second.status).toBe(served)
    })

    test('charges a request whose query cannot be decoded', async () => {
      const { keys } = await tenant(2, 1000)
      const { status, headers } = await api.get(`${endpoint.path}?a=%ff`, { key: keys[0] })
      expect(status).toBe(400)
      expect(headers.get('RateLimit-Remaining')).toBe('1')
    })

    test('charges nothing for a request without a valid key', async () => {
      const { siteId, keys } = await tenant(3, 1000)
      const [good] = keys
      const bad = good && { key: `${good.key.slice(0, -1)}!` }
      for (let times = 0; times < 5; times++) {
        expect(await api.request(endpoint, { key: bad, siteId })).toMatchObject({ status: 401 })
      }
      const { headers } = await api.request(endpoint, { key: good, siteId })
      expect(headers.get('RateLimit-Remaining')).toBe('2')
    })
  })
})
