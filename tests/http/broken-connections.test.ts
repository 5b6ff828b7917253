import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import type { PoolName } from '../../queries/sql/query.ts'
import {
  type ContractApi,
  firstOfEach,
  operations,
  sharedWorlds,
  startContractApi,
  type TestWorld,
} from '../support/contract.ts'
import { expectUnavailable, type FaultServer, startFaultServer } from '../support/faults.ts'
import { patience, poolsWithTimeout } from '../support/patience.ts'

let faults: FaultServer
let api: ContractApi
let world: TestWorld

beforeAll(async () => {
  faults = await startFaultServer(inject('servers').readUrl)
  api = await startContractApi({ readUrl: faults.url })
  ;[world] = await sharedWorlds(api)
})
afterEach(() => faults.inject())
afterAll(async () => {
  await api.close()
  await faults.close()
})

const isLookUp = (query: string) => query.startsWith('find')

/** One client reads ClickHouse for every operation: through the response cache, without it, or as a stream. */
const reading = firstOfEach(operations.withWindow, ({ cache, mediaTypes }) => [cache, mediaTypes])

describe.each(['reset', 'cut'] as const)('a connection that is %s', (fault) => {
  test.each(reading)('makes %s unavailable while it lasts', async (_, endpoint) => {
    const request = { key: world.key, siteId: world.siteIds[0] }
    faults.inject(fault, (query) => !isLookUp(query))
    expectUnavailable(await api.request(endpoint, request))
    faults.inject()
    expect(await api.request(endpoint, request)).toMatchObject({ status: 200 })
  })

  test('makes every operation unavailable while key lookups fail', async () => {
    const request = { key: await api.createKey(world.tenantId), siteId: world.siteIds[0] }
    faults.inject(fault)
    for (const [, endpoint] of operations.all) expectUnavailable(await api.request(endpoint, request))
    faults.inject()
    await expect.poll(() => api.get('/v1/me', request)).toMatchObject({ status: 200 })
  })
})

describe('a database that never responds', () => {
  const started: ContractApi[] = []
  afterEach(async () => {
    for (const one of started.splice(0)) await one.close()
  })

  /** Its reads in these pools end within a second, others never. */
  async function hasty(...pools: PoolName[]): Promise<ContractApi> {
    const connectOptions = { ...patience, pools: poolsWithTimeout(1_000, ...pools) }
    const one = await startContractApi({ readUrl: faults.url, connectOptions })
    started.push(one)
    return one
  }

  test('is abandoned at the timeout', async () => {
    const api = await hasty('query', 'lookup')
    faults.inject('hang', (query) => !isLookUp(query))
    const responses = operations.withWindow.map(([, one]) =>
      api.request(one, { key: world.key, siteId: world.siteIds[0] }),
    )
    for (const response of await Promise.all(responses)) expectUnavailable(response)
  })

  test('is abandoned at the timeout of a key lookup', async () => {
    const api = await hasty('unknownKey')
    faults.inject('hang')
    expectUnavailable(await api.get('/v1/me', { key: world.key }))
  })

  test('fails readiness, and leaves the process alive', async () => {
    const api = await hasty('lookup')
    faults.inject('hang')
    const [live, ready] = await Promise.all([api.get('/livez'), api.get('/readyz')])
    expect(live.status).toBe(200)
    expect(ready.status).toBe(503)
    expect(ready.body.checks.engine).toBe('failing')
  })

  test('fails readiness by its own name where only the query of the migrations is slow', async () => {
    const api = await hasty('lookup')
    faults.inject('hang', (query) => query === 'listAppliedMigrations')
    const { status, body } = await api.get('/readyz')
    expect(status).toBe(503)
    expect(body.checks).toEqual({ engine: 'failing', budgets: 'ok', migrations: 'unknown', parts: 'ok' })
  })
})
