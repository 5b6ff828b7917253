import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inputFields } from '../../app/openapi/json-schema.ts'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { querySchema } from '../../app/pipeline/query-schema.ts'
import { aReport } from '../../fixtures/reports.ts'
import { dimensionsOf } from '../../schema/report-filter.ts'
import { type ReportType, reportTypeNames } from '../../schema/report-types.ts'
import type { ApiResponse } from '../support/api.ts'
import {
  type ContractApi,
  createWorld,
  operations,
  type Query,
  startContractApi,
  type TestWorld,
} from '../support/contract.ts'

let api: ContractApi
let world: TestWorld

beforeAll(async () => {
  api = await startContractApi()
  world = await createWorld(api)
})
afterAll(() => api.close())

const send = (endpoint: Endpoint, query: Query) =>
  api.request(endpoint, { key: world.key, siteId: world.siteIds[0], query })

function expectRefused({ status, body }: ApiResponse, ...says: string[]) {
  expect(body.error.code).toBe('bad_request')
  expect(status).toBe(400)
  for (const words of says) expect(body.error.message).toContain(words)
}

const taken = ([name, endpoint]: (typeof operations.all)[number]) =>
  Object.keys(querySchema(endpoint)).map((parameter) => [name, parameter, endpoint] as const)

describe.each(operations.all)('%s', (_, endpoint) => {
  test.each(['nonsense', '__proto__', 'constructor', 'toString', 'From', 'site_id', 'siteId[]'])(
    'refuses the parameter %s by name',
    async (name) => {
      expectRefused(await send(endpoint, { [name]: '1' }), JSON.stringify(name))
    },
  )

  test('names the parameters it takes', async () => {
    const takes = Object.keys(querySchema(endpoint))
    expectRefused(await send(endpoint, { nonsense: '1' }), takes.join(', ') || 'it takes none')
  })
})

test('a 400 names every unknown parameter, however many others are invalid', async () => {
  const known = ['siteId', 'reportType', 'directive', 'disposition', 'deviceType', 'from', 'to']
  const unknown = ['a', 'b', 'c', 'd', 'e', 'f']
  const search = [...known, ...unknown].map((name) => `${name}=`).join('&')
  const named = unknown.map((name) => JSON.stringify(name)).join(', ')
  expectRefused(await api.get(`/v1/reports/count?${search}`, { key: world.key }), named, 'siteId must be')
})

test('a 400 names an unknown parameter when the path is invalid too', async () => {
  expectRefused(await api.get('/v1/sites/1/issues?nonsense=1', { key: world.key }), '"nonsense"')
})

describe.each(operations.all.flatMap(taken))('%s, %s', (_, parameter, endpoint) => {
  test('rejects an empty value', async () => {
    expectRefused(await send(endpoint, { [parameter]: '' }), `${parameter} must be`)
  })

  test('rejects a repeated value', async () => {
    expectRefused(await send(endpoint, { [parameter]: ['1', '1'] }), `${parameter} was given 2 times`)
  })
})

describe('a query that the framework would accept', () => {
  const get = (search: string) => api.get(`/v1/reports/count?${search}`, { key: world.key })

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
  const { tenantId, siteIds, key } = world
  const [siteId] = siteIds
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

const printable = '^[ -[\\]-~]*$'

/** Parameters that take any printable text, and up to how many characters, in a report type that has them. */
const texts = operations.all.flatMap(([name, endpoint]) =>
  Object.entries(inputFields(querySchema(endpoint)).fields).flatMap(([parameter, { pattern, maxLength }]) =>
    pattern === printable ? [[name, parameter, endpoint, Number(maxLength), typeWith(parameter)] as const] : [],
  ),
)

function typeWith(parameter: string): Query {
  const isCarried = (type: ReportType) => dimensionsOf(type).some((dimension) => dimension === parameter)
  const reportType = reportTypeNames.find(isCarried)
  return reportType ? { reportType } : {}
}

test('the parameters that take any printable text are found', () => {
  const names = new Set(texts.map(([, parameter]) => parameter))
  for (const name of ['documentHost', 'blockedUrl', 'reason', 'errorType', 'origin', 'destinationId', 'eventType']) {
    expect(names).toContain(name)
  }
})

describe.each(texts)('%s, %s', (_, parameter, endpoint, maxLength, type) => {
  test.each(['a\\b', 'é', '😀', 'a\tb', 'a\nb', '\u0000', 'x'.repeat(maxLength + 1)])('rejects %j', async (value) => {
    expectRefused(await send(endpoint, { ...type, [parameter]: value }), `${parameter} must be`)
  })

  test('says how what has no value is read', async () => {
    expectRefused(await send(endpoint, { ...type, [parameter]: '' }), 'what has no value is read without this filter')
  })

  test.each(['_', ` % ' " \` {p0:String} ~ -- */ `, 'x'.repeat(maxLength)])('accepts %j', async (value) => {
    expect(await send(endpoint, { ...type, [parameter]: value })).toMatchObject({ status: 200 })
  })
})

const limits = operations.all.filter(([, endpoint]) => 'limit' in querySchema(endpoint))

describe.each(limits)('%s, limit', (_, endpoint) => {
  const most = endpoint.page?.maxLimit ?? 100

  test.each(['0', `${most + 1}`, '1e2', '0x10', ' 5', '5 ', '+5', '-1', '1.0', '٣', '99999999999'])(
    'rejects %j',
    async (limit) => {
      expectRefused(await send(endpoint, { limit }), `limit must be an integer from 1 to ${most}`)
    },
  )

  test('accepts its bounds', async () => {
    const [least, all] = await Promise.all([send(endpoint, { limit: '1' }), send(endpoint, { limit: `${most}` })])
    expect(least.body.data).toHaveLength(1)
    expect(all.body.data.length).toBeGreaterThan(1)
  })
})
