import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reportsCount } from '../../app/endpoints/reports/count.ts'
import { reportsList } from '../../app/endpoints/reports/list.ts'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import type { ApiResponse } from '../support/api.ts'
import {
  type ContractApi,
  operations,
  type Query,
  sharedWorlds,
  startContractApi,
  type TestWorld,
  unknownId,
} from '../support/contract.ts'
import type { TestKey } from '../support/tenants.ts'

let api: ContractApi
let world: TestWorld
let other: TestWorld
let narrowed: TestKey

beforeAll(async () => {
  api = await startContractApi()
  ;[world, other] = await sharedWorlds(api)
  narrowed = await api.createKey(world.tenantId, { siteId: world.siteIds[0] })
})
afterAll(() => api.close())

const send = (endpoint: Endpoint, query: Query, key = world.key) =>
  api.request(endpoint, { key, siteId: world.siteIds[0], query })

test('a cursor is bound to the set of values, whatever their order and repeats', async () => {
  const values = (...given: string[]) => ({ 'browserName.not': given, noise: 'exclude', limit: '1' })
  const { nextCursor: cursor } = (await send(reportsList, values('Opera', ''))).body
  expect(cursor).toEqual(expect.any(String))
  expect(await send(reportsList, { ...values('', 'Opera', ''), cursor })).toMatchObject({ status: 200 })
  const others = [
    values('Opera'),
    { ...values('Opera', ''), noise: 'only' },
    { 'browserName.any': ['Opera', ''], limit: '1' },
  ]
  for (const query of others) {
    const { status, body } = await send(reportsList, { ...query, cursor })
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('another query')])
  }
})

test('each set of filters has a cached response of its own', async () => {
  const to = new Date().toISOString()
  const queries: Query[] = [
    {},
    { noise: 'exclude' },
    { noise: 'only' },
    { 'blockedHost.any': 'inline' },
    { 'blockedHost.not': 'inline' },
    { 'blockedHost.contains': 'inline' },
    { 'blockedHost.any': ['inline', ''] },
  ]
  const first = await Promise.all(queries.map((query) => send(reportsCount, { ...query, to })))
  for (let times = 0; times < 2; times++) {
    const again = await Promise.all(queries.map((query) => send(reportsCount, { ...query, to })))
    expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text))
  }
  const [all, exclude, only, any, not] = first.map(({ body }) => body.data.reportCount)
  expect([exclude + only, any + not]).toEqual([all, all])
  for (const counted of [exclude, only, any, not]) expect(counted).toBeLessThan(all)
})

async function expectRefused(query: Query, ...words: string[]) {
  const { status, body } = await send(reportsCount, query)
  expect({ query, status }).toMatchObject({ status: 400 })
  for (const one of words) expect(body.error.message).toContain(one)
}

describe('an issue', () => {
  const issueId = '8d5e957f29789348'

  test('that no report has, or of another site, counts nothing', async () => {
    const counts = (await send(reportsCount, { issueId, siteId: world.siteIds[0] })).body.data
    expect(counts).toEqual({ reportCount: 0, estimatedReportCount: 0, sampled: false })
  })

  test('is named with its site and a type that makes issues', async () => {
    await expectRefused({ issueId }, 'issueId requires the siteId of the issue')
    const crash = { issueId, siteId: world.siteIds[0], reportType: 'crash' }
    await expectRefused(crash, 'issueId: crash reports have no issues', 'csp-violation')
    for (const wrong of ['x', issueId.toUpperCase(), `${issueId}0`]) {
      await expectRefused({ issueId: wrong, siteId: world.siteIds[0] }, 'issueId must be the id of an issue')
    }
  })
})

const bySites = operations.all.filter(([, { query }]) => 'siteId.any' in query)
const siteFilters = ['siteId.any', 'siteId.not']

describe.each(bySites)('%s, by several sites', (_, endpoint) => {
  test('finds no site of another tenant or of nobody', async () => {
    for (const filter of siteFilters) {
      for (const siteId of [other.siteIds[0], unknownId]) {
        const { status } = await send(endpoint, { [filter]: [world.siteIds[0], siteId] })
        expect([filter, status]).toEqual([filter, 404])
      }
      const [own, foreign] = world.siteIds
      for (const sites of [foreign, [own, foreign], ['', foreign]]) {
        const { status } = await send(endpoint, { [filter]: sites, siteId: undefined }, narrowed)
        expect([filter, status]).toEqual([filter, 404])
      }
    }
  })

  test('shows a key of one site no more than that site', async () => {
    const [own] = world.siteIds
    const to = new Date().toISOString()
    // With an addition, as a histogram has estimates then.
    const whole = await send(endpoint, { to, 'siteId.any': own })
    const read = (query: Query) => send(endpoint, { to, ...query, siteId: undefined }, narrowed)
    const dataOf = ({ body, text }: ApiResponse) => body?.data ?? text
    expect(dataOf(await read({}))).toEqual(dataOf(await send(endpoint, { to, siteId: own })))
    for (const query of [{ 'siteId.any': own }, { 'siteId.any': [own, ''] }, { 'siteId.not': '' }]) {
      expect(dataOf(await read(query))).toEqual(dataOf(whole))
    }
    const none = await send(endpoint, { to, siteId: own, 'siteId.not': own })
    expect(dataOf(await read({ 'siteId.any': '' }))).toEqual(dataOf(none))
    expect(dataOf(await read({ 'siteId.not': own }))).toEqual(dataOf(none))
    expect(dataOf(none)).not.toEqual(dataOf(whole))
  })
})
