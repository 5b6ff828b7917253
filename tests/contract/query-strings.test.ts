import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aReport } from '../../fixtures/reports.ts'
import type { ApiResponse } from '../support/api.ts'
import { type ContractApi, startContractApi } from '../support/contract.ts'
import type { TestKey } from '../support/tenants.ts'

let api: ContractApi
let tenantId: string
let key: TestKey

beforeAll(async () => {
  api = await startContractApi()
  tenantId = await api.createTenant()
  key = await api.createKey(tenantId)
})
afterAll(() => api.close())

function expectRefused({ status, body }: ApiResponse, ...says: string[]) {
  expect(body.error.code).toBe('bad_request')
  expect(status).toBe(400)
  for (const words of says) expect(body.error.message).toContain(words)
}

test('a 400 names every unknown parameter, however many others are invalid', async () => {
  const known = ['siteId', 'reportType', 'directive', 'disposition', 'deviceType', 'from', 'to', 'last']
  const unknown = ['a', 'b', 'c', 'd', 'e', 'f']
  const search = [...known, ...unknown].map((name) => `${name}=`).join('&')
  const named = unknown.map((name) => JSON.stringify(name)).join(', ')
  expectRefused(await api.get(`/v1/reports/count?${search}`, { key }), named, 'siteId must be')
})

test('a 400 names an unknown parameter when the path is invalid too', async () => {
  expectRefused(await api.get('/v1/sites/1/issues?nonsense=1', { key }), '"nonsense"')
})

describe('a query that the framework would accept', () => {
  const get = (search: string) => api.get(`/v1/reports/count?${search}`, { key })

  test.each(['browserName=caf%E9', 'documentHost=%FF', 'documentHost=%', 'browserName=a%2'])(
    '%s is no UTF-8, and is refused by name',
    async (search) => expectRefused(await get(search), search.slice(0, search.indexOf('=')), 'percent-encoded UTF-8'),
  )

  test.each(['=1', 'browserName=x&=', '&=%C3%A9'])('%s has a parameter without a name', async (search) => {
    expectRefused(await get(search), 'without a name')
  })

  test.each(['%FF=1', 'a%E9b=1'])('%s has a name that is no UTF-8', async (search) => {
    expectRefused(await get(search), JSON.stringify(search.slice(0, -2)))
  })

  test('a lone & is no parameter', async () => {
    expect((await get('&browserName=Chrome%20Mobile&')).status).toBe(200)
  })
})

test('a comma in a text filter is a character of one value', async () => {
  const siteId = await api.createSite(tenantId)
  const values = ['Comma,Browser', 'Comma', 'Browser']
  await api.insertReports(
    values.map((browserName, index) =>
      aReport({ tenantId, siteId, browserName, receivedAt: Date.now() - 1_000 * (index + 1) }),
    ),
  )
  const count = async (browserName: string) =>
    (await api.get(`/v1/reports/count?browserName=${browserName}`, { key })).body.data.reportCount
  expect(await Promise.all([...values, 'Browser,Comma'].map(count))).toEqual([1, 1, 1, 0])
  expectRefused(await api.get('/v1/reports/count?disposition=enforce,report', { key }), 'disposition must be one of')
})
