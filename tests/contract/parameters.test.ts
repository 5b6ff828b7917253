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

/** Names of the statements that were sent, without the key's lookup. */
const reads: string[] = []

beforeAll(async () => {
  api = await startContractApi({
    onRead({ name }) {
      if (name !== 'findKey') reads.push(name)
    },
  })
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

/** A query and the words of its 400. */
type Refusal = readonly [query: Query, ...says: string[]]

/** Of all of them, before any other statement than the key's lookup is sent. */
async function expectAllRefused(endpoint: Endpoint, refusals: readonly Refusal[]) {
  reads.length = 0
  for (const [query, ...says] of refusals) {
    const { status, body } = await send(endpoint, query)
    const { code, message = '' } = body?.error ?? {}
    const unsaid = says.filter((words) => !message.includes(words))
    expect({ query, status, code, unsaid, message }).toMatchObject({ status: 400, code: 'bad_request', unsaid: [] })
  }
  expect(reads).toEqual([])
}

describe.each(operations.all)('%s', (_, endpoint) => {
  const takes = Object.keys(querySchema(endpoint))

  test('refuses unknown parameters by name, and names the parameters it takes', async () => {
    const unknown = ['nonsense', '__proto__', 'constructor', 'toString', 'From', 'site_id', 'siteId[]']
    await expectAllRefused(
      endpoint,
      unknown.map((name) => [{ [name]: '1' }, JSON.stringify(name), ...(takes.length > 0 ? named : ['it takes none'])]),
    )
  })

  /** Filters of several values, and of a part of one, are described. */
  const named = [
    ...takes.filter((name) => !/\.(any|not|contains)$/.test(name)),
    ...['any', 'not', 'contains'].flatMap((one) => (takes.some((name) => name.endsWith(`.${one}`)) ? [`.${one}`] : [])),
  ]

  test('rejects an empty and a repeated value of each parameter but filters of several values', async () => {
    const { fields } = inputFields(querySchema(endpoint))
    const once = takes.filter((parameter) => fields[parameter]?.type !== 'array')
    await expectAllRefused(
      endpoint,
      once.flatMap((parameter): Refusal[] => [
        [{ [parameter]: '' }, `${parameter} must be`],
        [{ [parameter]: ['1', '1'] }, `${parameter} was given 2 times`],
      ]),
    )
  })
})

test('a 400 names every unknown parameter, however many others are invalid', async () => {
  const known = ['siteId', 'reportType', 'directive', 'disposition', 'deviceType', 'from', 'to', 'last']
  const unknown = ['a', 'b', 'c', 'd', 'e', 'f']
  const search = [...known, ...unknown].map((name) => `${name}=`).join('&')
  const named = unknown.map((name) => JSON.stringify(name)).join(', ')
  expectRefused(await api.get(`/v1/reports/count?${search}`, { key: world.key }), named, 'siteId must be')
})

test('a 400 names an unknown parameter when the path is invalid too', async () => {
  expectRefused(await api.get('/v1/sites/1/issues?nonsense=1', { key: world.key }), '"nonsense"')
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

interface TextParameter {
  readonly parameter: string
  readonly maxLength: number
  /** A report type that has it, where one is named and the operation takes one. */
  readonly reportType?: ReportType | undefined
}

/** Parameters that take any printable text, by operation, without those of a part of one. */
const texts = operations.all.flatMap(([name, endpoint]) => {
  const fields = Object.entries(inputFields(querySchema(endpoint)).fields)
  const isOfType = 'reportType' in querySchema(endpoint)
  const found = fields.flatMap(([parameter, { pattern, minLength, maxLength }]): TextParameter[] =>
    pattern === printable && !parameter.includes('.') && minLength !== 2
      ? [{ parameter, maxLength: Number(maxLength), reportType: isOfType ? typeWith(parameter) : undefined }]
      : [],
  )
  return found.length > 0 ? [[name, endpoint, found] as const] : []
})

function typeWith(parameter: string): ReportType | undefined {
  const isCarried = (type: ReportType) => dimensionsOf(type).some((dimension) => dimension === parameter)
  return reportTypeNames.find(isCarried)
}

/** Each of them in the first operation that has it; they are one schema in all of its operations. */
const distinct = new Map(
  texts
    .toReversed()
    .flatMap(([name, endpoint, found]) => found.map((text) => [text.parameter, [name, endpoint, text] as const])),
)

test('the parameters that take any printable text are found', () => {
  for (const name of ['documentHost', 'blockedUrl', 'reason', 'errorType', 'origin', 'destinationId', 'eventType']) {
    expect([...distinct.keys()]).toContain(name)
  }
})

const refusalOf = ({ parameter, reportType }: TextParameter, value: string, ...says: string[]): Refusal => [
  { reportType, [parameter]: value },
  `${parameter} must be`,
  ...says,
]

test.each([...distinct.values()])('%s rejects text that is not printable ASCII: $2.parameter', async (...one) => {
  const [, endpoint, text] = one
  const values = ['a\\b', 'é', '😀', 'a\tb', 'a\nb']
  await expectAllRefused(
    endpoint,
    values.map((value) => refusalOf(text, value)),
  )
})

describe.each(texts)('%s', (_, endpoint, found) => {
  test('rejects texts with U+0000 and too long ones, and says how what has no value is read', async () => {
    await expectAllRefused(
      endpoint,
      found.flatMap((text) => [
        refusalOf(text, '\u0000'),
        refusalOf(text, 'x'.repeat(text.maxLength + 1)),
        refusalOf(text, '', 'what has no value is read without this filter'),
      ]),
    )
  })

  test.each<[string, (text: TextParameter) => string]>([
    ['_', () => '_'],
    ['what has a meaning in SQL', () => ` % ' " \` {p0:String} ~ -- */ `],
    ['as many characters as are allowed', ({ maxLength }) => 'x'.repeat(maxLength)],
  ])('accepts %s, in all parameters of a report type at once', async (_, textOf) => {
    for (const reportType of new Set(found.map((text) => text.reportType))) {
      const ofType = found.filter((text) => text.reportType === reportType)
      const query = { reportType, ...Object.fromEntries(ofType.map((text) => [text.parameter, textOf(text)])) }
      expect({ query, ...(await send(endpoint, query)) }).toMatchObject({ status: 200 })
    }
  })
})

const limits = operations.all.filter(([, endpoint]) => 'limit' in querySchema(endpoint))

/** Of a list, or of a summary with one. */
const itemsOf = ({ body: { data } }: ApiResponse): unknown[] => data.groups ?? data.sources ?? data

describe.each(limits)('%s, limit', (_, endpoint) => {
  const most = Number(inputFields(querySchema(endpoint)).fields.limit?.maximum)

  test('rejects what is no integer within its bounds', async () => {
    const values = ['0', `${most + 1}`, '1e2', '0x10', ' 5', '5 ', '+5', '-1', '1.0', '٣', '99999999999']
    await expectAllRefused(
      endpoint,
      values.map((limit) => [{ limit }, `limit must be an integer from 1 to ${most}`]),
    )
  })

  test('accepts its bounds', async () => {
    const [least, all] = await Promise.all([send(endpoint, { limit: '1' }), send(endpoint, { limit: `${most}` })])
    expect([least.status, all.status]).toEqual([200, 200])
    // The issues of random reports are not those of their sources, so that advice lists what chance makes of them.
    if (endpoint.name === 'csp-policies.advice') return
    expect(itemsOf(least)).toHaveLength(1)
    expect(itemsOf(all).length).toBeGreaterThan(1)
  })
})
