import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reportsCount } from '../../app/endpoints/reports/count.ts'
import { reportsList } from '../../app/endpoints/reports/list.ts'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { type ContractApi, createWorld, type Query, startContractApi, type TestWorld } from '../support/contract.ts'

let api: ContractApi
let world: TestWorld

beforeAll(async () => {
  api = await startContractApi()
  world = await createWorld(api)
})
afterAll(() => api.close())

const send = (endpoint: Endpoint, query: Query) =>
  api.request(endpoint, { key: world.key, siteId: world.siteIds[0], query })

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
    await expectRefused({ issueId }, 'issueId: an issue is of one site; send its siteId too')
    const crash = { issueId, siteId: world.siteIds[0], reportType: 'crash' }
    await expectRefused(crash, 'issueId: crash reports make no issues', 'csp-violation')
    for (const wrong of ['x', issueId.toUpperCase(), `${issueId}0`]) {
      await expectRefused({ issueId: wrong, siteId: world.siteIds[0] }, 'issueId must be the id of an issue')
    }
  })
})
