import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '../../app/endpoint.ts'
import { queryShape } from '../../app/pipeline/mount.ts'
import type { Answered } from '../support/api.ts'
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

const ask = (endpoint: Endpoint, query: Query) => api.ask(endpoint, { key: world.key, siteId: world.siteIds[0], query })

function expectRefused({ status, body }: Answered, ...says: string[]) {
  expect(body.error.code).toBe('bad_request')
  expect(status).toBe(400)
  for (const words of says) expect(body.error.message).toContain(words)
}

const taken = ([name, endpoint]: (typeof operations.all)[number]) =>
  Object.keys(queryShape(endpoint)).map((parameter) => [name, parameter, endpoint] as const)

describe.each(operations.all)('%s', (_, endpoint) => {
  test.each(['nonsense', '__proto__', 'constructor', 'toString', 'From', 'site_id', 'siteId[]'])(
    'refuses the parameter %s by name',
    async (name) => {
      expectRefused(await ask(endpoint, { [name]: '1' }), JSON.stringify(name))
    },
  )

  test('says which parameters it takes', async () => {
    const takes = Object.keys(queryShape(endpoint))
    expectRefused(await ask(endpoint, { nonsense: '1' }), takes.join(', ') || 'it takes none')
  })
})

describe.each(operations.all.flatMap(taken))('%s, %s', (_, parameter, endpoint) => {
  test('refuses it empty', async () => {
    expectRefused(await ask(endpoint, { [parameter]: '' }), `${parameter} must be`)
  })

  test('refuses it twice', async () => {
    expectRefused(await ask(endpoint, { [parameter]: ['1', '1'] }), `${parameter} was given 2 times`)
  })
})

describe('what the framework would pass over', () => {
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

const texts = ['browserName', 'documentHost', 'reason', 'errorType', 'origin', 'destinationId', 'eventType']
const textParameters = operations.all.flatMap(taken).filter(([, name]) => texts.includes(name))

describe.each(textParameters)('%s, %s', (_, parameter, endpoint) => {
  test.each(['a\\b', 'é', '😀', 'a\tb', 'a\nb', '\u0000', 'x'.repeat(256)])('refuses %j', async (value) => {
    expectRefused(await ask(endpoint, { [parameter]: value }), `${parameter} must be`)
  })

  test.each([' ', '%', '_', "'", '"', '`', '{p0:String}', '~', '--', '*/'])('takes %j', async (value) => {
    expect(await ask(endpoint, { [parameter]: value })).toMatchObject({ status: 200 })
  })
})

const limits = operations.all.filter(([, endpoint]) => 'limit' in queryShape(endpoint))

describe.each(limits)('%s, limit', (_, endpoint) => {
  const most = endpoint.page?.maxLimit ?? 100

  test.each(['0', `${most + 1}`, '1e2', '0x10', ' 5', '5 ', '+5', '-1', '1.0', '٣', '99999999999'])(
    'refuses %j',
    async (limit) => {
      expectRefused(await ask(endpoint, { limit }), `limit must be an integer from 1 to ${most}`)
    },
  )

  test('takes its bounds', async () => {
    const [least, all] = await Promise.all([ask(endpoint, { limit: '1' }), ask(endpoint, { limit: `${most}` })])
    expect(least.body.data).toHaveLength(1)
    expect(all.body.data.length).toBeGreaterThan(1)
  })
})
