import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { aReport } from '../../fixtures/reports.ts'
import { dayMs } from '../../schema/durations.ts'
import {
  type ContractApi,
  createWorld,
  operations,
  type Query,
  startContractApi,
  type TestWorld,
} from '../support/contract.ts'
import { numberOfCases } from '../support/number-of-cases.ts'

/** A request's own moment, behind all reports of the world. */
const moment = Math.ceil(Date.now() / 10_000) * 10_000 + 1_234
const nextWhole = moment - 1_234 + 10_000

let now = moment
let api: ContractApi
let world: TestWorld

beforeAll(async () => {
  api = await startContractApi({ now: () => new Date(now) })
  world = await createWorld(api)
})
afterAll(() => api.close())

const send = (endpoint: Endpoint, query: Query = {}, { key, siteIds } = world) =>
  api.request(endpoint, { key, siteId: siteIds[0], query })

const iso = (time: number) => new Date(time).toISOString()

describe.each(operations.withWindow)('%s', (_, endpoint) => {
  const { defaultDays = 0 } = typeof endpoint.window === 'object' ? endpoint.window : {}

  test('ends with the next whole 10 s where to is absent, and its from follows', async () => {
    const named = await send(endpoint, { from: iso(nextWhole - defaultDays * dayMs), to: iso(nextWhole) })
    expect(named.status).toBe(200)
    expect((await send(endpoint)).text).toBe(named.text)
    const from = iso(moment - dayMs)
    expect((await send(endpoint, { from })).text).toBe((await send(endpoint, { from, to: iso(nextWhole) })).text)
  })
})

test('every report up to the moment of a request is in its window', async () => {
  const tenantId = await api.createTenant()
  const [siteId, key] = [await api.createSite(tenantId), await api.createKey(tenantId)]
  const [, count] = operations.withWindow.find(([name]) => name === 'reports.count') as [string, Endpoint]
  const times = fc.sample(fc.integer({ min: moment - 30_000, max: moment }), 200)
  await api.insertReports(times.map((receivedAt) => aReport({ tenantId, siteId, receivedAt })))
  const requestTimes = fc.oneof(fc.constantFrom(...times), fc.integer({ min: moment - 30_000, max: moment }))
  await fc.assert(
    fc.asyncProperty(requestTimes, async (time) => {
      now = time
      const { body } = await api.request(count, { key, siteId })
      now = moment
      const received = times.filter((one) => one <= time).length
      const early = times.filter((one) => one > time && one < time + 10_000).length
      expect(body.data.reportCount).toBeGreaterThanOrEqual(received)
      expect(body.data.reportCount).toBeLessThanOrEqual(received + early)
    }),
    { numRuns: numberOfCases(20) },
  )
})
