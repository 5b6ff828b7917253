import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { aReport } from '../../fixtures/reports.ts'
import { dayMs } from '../../schema/durations.ts'
import {
  type ContractApi,
  firstOfEach,
  operations,
  type Query,
  sharedWorlds,
  startContractApi,
  type TestWorld,
  worldReports,
} from '../support/contract.ts'
import { numberOfCases } from '../support/number-of-cases.ts'
import { plenty } from '../support/tenants.ts'

/** A request's own moment, behind all reports of the world. */
const moment = Math.ceil(Date.now() / 10_000) * 10_000 + 1_234
const nextWhole = moment - 1_234 + 10_000

let now = moment
let api: ContractApi
let world: TestWorld
/** A tenant that keeps its reports for two days. */
let short: TestWorld

beforeAll(async () => {
  api = await startContractApi({ now: () => new Date(now) })
  ;[world] = await sharedWorlds(api)
  const tenantId = await api.createTenant({ overrides: { ...plenty, retentionDays: 2 } })
  const [one = '', two = ''] = await api.createSites(tenantId, 2)
  short = { tenantId, siteIds: [one, two], key: await api.createKey(tenantId) }
  await api.insertReports(worldReports(short, 2))
})
afterAll(() => api.close())

const send = (endpoint: Endpoint, query: Query = {}, { key, siteIds } = world) =>
  api.request(endpoint, { key, siteId: siteIds[0], query })

const iso = (time: number) => new Date(time).toISOString()
const refused = (words: string) => ({
  status: 400,
  body: { error: { code: 'bad_request', message: expect.stringContaining(words) } },
})

const policyOf = ({ window }: Endpoint) => (typeof window === 'object' ? window : { defaultDays: 0, maxDays: 0 })

test.each(operations.withWindow)('%s ends with the next whole 10 s where to is absent', async (_, endpoint) => {
  const from = iso(nextWhole - policyOf(endpoint).defaultDays * dayMs)
  const named = await send(endpoint, { from, to: iso(nextWhole) })
  expect(named.status).toBe(200)
  expect((await send(endpoint)).text).toBe(named.text)
})

// One middleware makes the window of the operation's policy and the request.
describe.each(firstOfEach(operations.withWindow, policyOf))('%s', (_, endpoint) => {
  const { maxDays } = policyOf(endpoint)

  test('ends with the next whole 10 s where from is named and to is absent', async () => {
    const from = iso(moment - dayMs)
    expect((await send(endpoint, { from })).text).toBe((await send(endpoint, { from, to: iso(nextWhole) })).text)
  })

  test('last is the window of that length which ends so, in any notation', async () => {
    const named = await send(endpoint, { from: iso(nextWhole - dayMs), to: iso(nextWhole) })
    for (const last of ['1d', '24h', '1440m', 'P1D', 'PT24H', 'PT1440M', 'PT23H60M']) {
      expect((await send(endpoint, { last })).text).toBe(named.text)
    }
  })

  test('rejects a last that is no duration, under a minute or longer than the operation reads', async () => {
    for (const last of ['7', 'yesterday', '0m', 'PT0M', `${maxDays}d1m`, `P${maxDays}DT1M`, `${maxDays * 24 + 1}h`]) {
      expect(await send(endpoint, { last })).toMatchObject(refused(`last must be a duration from 1m to ${maxDays}d`))
    }
    for (const last of ['1m', `${maxDays}d`, `P${maxDays}D`]) {
      expect(await send(endpoint, { last })).toMatchObject({ status: 200 })
    }
  })

  test('rejects last beside from or to', async () => {
    const [from, to] = [iso(moment - dayMs), iso(moment)]
    for (const query of [{ from }, { to }, { from, to }]) {
      expect(await send(endpoint, { last: '24h', ...query })).toMatchObject(
        refused('last cannot be combined with from or to'),
      )
    }
  })

  test('cuts last to retention, as a default from', async () => {
    const from = iso(Math.floor(moment / dayMs) * dayMs - 2 * dayMs)
    const named = await send(endpoint, { from, to: iso(nextWhole) }, short)
    expect(named.status).toBe(200)
    expect((await send(endpoint, { last: '7d' }, short)).text).toBe(named.text)
  })
})

const paged = operations.withPage.filter(([, { window }]) => typeof window === 'object')

describe.each(firstOfEach(paged, policyOf))('%s', (_, endpoint) => {
  test('takes the last of the first page beside a cursor, or none, while now moves on', async () => {
    const first = await send(endpoint, { last: 'P2D', limit: '1' })
    const { nextCursor: cursor } = first.body
    expect(cursor).toEqual(expect.any(String))
    const next = await send(endpoint, { cursor })
    expect(next.status).toBe(200)
    now = moment + 25_000
    for (const last of ['P2D', '48h']) {
      expect(await send(endpoint, { cursor, last })).toMatchObject({ status: 200, text: next.text })
    }
    const link = /^<(.+)>/.exec(first.headers.get('Link') ?? '')?.[1] ?? ''
    expect(new URL(link, api.url).searchParams.get('last')).toBe('P2D')
    expect((await api.get(link, { key: world.key })).status).toBe(200)
    for (const last of ['1d', '47h']) {
      const rejected = refused('with a cursor, last must be the value of the first page')
      expect(await send(endpoint, { cursor, last })).toMatchObject(rejected)
    }
    now = moment
  })

  test('takes a last that was cut to retention beside its cursor', async () => {
    const { body } = await send(endpoint, { last: '7d', limit: '1' }, short)
    expect(await send(endpoint, { cursor: body.nextCursor, last: '7d' }, short)).toMatchObject({ status: 200 })
  })
})

test('a summary of the last day has the window that it read', async () => {
  const [, count] = operations.withWindow.find(([name]) => name === 'reports.count') as [string, Endpoint]
  const window = { from: iso(nextWhole - dayMs), to: iso(nextWhole) }
  const [last, named] = [await send(count, { last: '1d' }), await send(count, window)]
  expect(last.body.window).toEqual(window)
  expect(last.body.data).toEqual(named.body.data)
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
