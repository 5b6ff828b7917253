import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { createMemoryBudgets } from '../../app/budgets/memory-budgets.ts'
import { dayMs, hourMs } from '../../schema/durations.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { createWorld, operations, type TestWorld, urlOf } from '../support/contract.ts'
import { createCountedBudgets } from '../support/counted-budgets.ts'
import { type FaultServer, startFaultServer } from '../support/faults.ts'
import type { TestKey } from '../support/tenants.ts'

let store: FaultServer
let api: TestApi
let world: TestWorld
let other: TestWorld
let secondKey: TestKey

beforeAll(async () => {
  store = await startFaultServer(inject('servers').readUrl)
  // Keys and sites stay known, so that requests wait for nothing but their own queries.
  api = await startApi({ readUrl: store.url, budgets: counted, keyTtlMs: hourMs, siteTtlMs: hourMs })
  world = await createWorld(api, 1)
  other = await createWorld(api, 2)
  secondKey = await api.createKey(world.tenantId)
  for (const key of [world.key, secondKey, other.key]) await api.get('/v1/me', { key })
})
afterEach(() => store.inject())
afterAll(async () => {
  await api.close()
  await store.close()
})

/** Of whole days up to today, which are in one table; as many for each test as no other, because responses are cached. */
function countOf(days: number): string {
  const to = Math.floor(Date.now() / dayMs) * dayMs
  return `/v1/reports/count?from=${new Date(to - days * dayMs).toISOString()}&to=${new Date(to).toISOString()}`
}

const lookUps = new Set(['findKey', 'findSites', 'listImportSteps'])

const counted = createCountedBudgets()
/** Requests that were begun when all that were sent together have. */
let together = 0

/** Counts the queries that reach ClickHouse, apart from lookups, and holds each back until all requests are here. */
function countQueries(response?: Response) {
  const requested = { queries: 0 }
  store.inject(
    async () => {
      requested.queries++
      while (counted.requests() < together) await sleep(5)
      await sleep(300)
      return response
    },
    (query) => !lookUps.has(query),
  )
  return requested
}

function askAll(asking: readonly [string, TestKey][]) {
  together = counted.requests() + asking.length
  return Promise.all(asking.map(([url, key]) => api.get(url, { key })))
}

describe('the same request', () => {
  test('is read once while in flight, for all keys of the tenant', async () => {
    const path = countOf(2)
    // A request's second time reads the import version, and joins a load of that version at any age.
    await api.get(path, { key: world.key })
    const requested = countQueries()
    const responses = await askAll([
      [path, world.key],
      [path, secondKey],
      [`${path}&reportType=csp-violation`, world.key],
      [path, world.key],
    ])
    expect(requested.queries).toBe(1)
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(new Set(responses.map(({ headers }) => headers.get('X-Request-Id'))).size).toBe(4)
  })

  test('of another tenant is another request', async () => {
    const path = countOf(3)
    const requested = countQueries()
    const [own, foreign] = await askAll([
      [path, world.key],
      [path, other.key],
    ])
    expect(requested.queries).toBe(2)
    expect(own?.body).not.toEqual(foreign?.body)
  })

  test('with another filter, or after the first response, is read again', async () => {
    const path = countOf(4)
    const requested = countQueries()
    await askAll([
      [path, world.key],
      [`${path}&browserName=Chrome`, world.key],
    ])
    await askAll([[path, world.key]])
    expect(requested.queries).toBe(3)
  })

  test('fails for all its callers, and is read again for the next', async () => {
    const path = countOf(5)
    countQueries(new Response('gone', { status: 500 }))
    const responses = await askAll([
      [path, world.key],
      [path, secondKey],
    ])
    expect(responses.map(({ status }) => status)).toEqual([503, 503])
    store.inject()
    expect(await api.get(path, { key: world.key })).toMatchObject({ status: 200 })
  })
})

/** They return the tenant's data and charge the key's budget alone. */
const spendingKeyOnly = operations.all.filter(
  ([, { scope, charges }]) => scope !== 'key' && !charges.includes('tenant'),
)

test.each(spendingKeyOnly)(
  '%s reads nothing twice for concurrent requests of two keys of a tenant',
  async (_, endpoint) => {
    const url = urlOf(endpoint, { siteId: world.siteIds[0] })
    await api.get(url, { key: world.key })
    const alone = countQueries()
    await askAll([[url, world.key]])
    store.inject()
    const both = countQueries()
    const responses = await askAll([
      [url, world.key],
      [url, secondKey],
    ])
    expect(alone.queries).toBeGreaterThan(0)
    expect(both.queries).toBe(alone.queries)
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
  },
)

test('the response of scope key is never another key’s, even of concurrent requests', async () => {
  const budgets = createMemoryBudgets()
  const waiting: (() => void)[] = []
  const bothHere = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve)
      if (waiting.length === 2) for (const go of waiting) go()
    })
  const paired = await startApi({
    budgets: { ...budgets, take: (charges) => bothHere().then(() => budgets.take(charges)) },
  })
  const responses = await Promise.all([world.key, secondKey].map((key) => paired.get('/v1/me', { key })))
  await paired.close()
  expect(responses.map(({ body }) => body.data.key.id)).toEqual([world.key.id, secondKey.id])
})
