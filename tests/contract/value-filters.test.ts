import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inputFields } from '../../app/openapi/json-schema.ts'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { querySchema } from '../../app/pipeline/query-schema.ts'
import { dimensionNames, dimensionRows } from '../../schema/dimensions.ts'
import { dimensionsOf } from '../../schema/report-filter.ts'
import { reportTypeNames } from '../../schema/report-types.ts'
import type { ApiResponse } from '../support/api.ts'
import {
  type ContractApi,
  createWorlds,
  operations,
  type Query,
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
  ;[world, other] = await createWorlds(api, [1, 2])
  narrowed = await api.createKey(world.tenantId, { siteId: world.siteIds[0] })
})
afterAll(() => api.close())

const send = (endpoint: Endpoint, query: Query, key = world.key) =>
  api.request(endpoint, { key, siteId: world.siteIds[0], query })

async function expectRefused(endpoint: Endpoint, query: Query, ...words: string[]) {
  const { status, body } = await send(endpoint, query)
  expect({ query, status, message: body.error?.message }).toMatchObject({ status: 400 })
  for (const one of words) expect(body.error.message).toContain(one)
}

/** Parameters of an operation that end so, each with a report type that has it. */
function filtersOf(endpoint: Endpoint, operator: 'any' | 'not' | 'contains') {
  const { fields } = inputFields(querySchema(endpoint))
  return Object.entries(fields).flatMap(([parameter, schema]) => {
    const [name, end] = parameter.split('.')
    if (end !== operator) return []
    const reportType = reportTypeNames.find((type) => dimensionsOf(type).some((one) => one === name))
    const typed = 'reportType' in endpoint.query && reportType ? { reportType } : {}
    return [{ name: name as string, parameter, typed, schema }]
  })
}

const filtering = operations.all.filter(([, endpoint]) => filtersOf(endpoint, 'any').length > 0)

/** The first operation with each of them, as they are one schema in all of its operations. */
const firstOfChapter = filtering.filter(([name]) => ['reports.count', 'issues.list'].includes(name))

interface Items {
  readonly enum?: readonly string[]
  readonly maxLength?: number
}

/** A value of a filter: of an enumeration, a text, or an id. */
const validOf = (items: Items) => items.enum?.at(-1) ?? (items.maxLength === undefined ? world.siteIds[0] : 'x,y_z')

/** Every issue has a confidence. */
const takesNone = (items: Items) => items.enum?.includes('') ?? true

const severalOf = (endpoint: Endpoint) =>
  [...filtersOf(endpoint, 'any'), ...filtersOf(endpoint, 'not')].map((filter) => ({
    ...filter,
    items: filter.schema.items as Items,
  }))

test('every filter that takes text or an enumeration, and siteId, has filters of several values, text of a part', () => {
  const [, list] = operations.all.find(([name]) => name === 'reports.list') as [string, Endpoint]
  const names = (operator: 'any' | 'not' | 'contains') => filtersOf(list, operator).map(({ name }) => name)
  const texts = dimensionNames.filter((name) => dimensionRows[name].match.kind === 'text')
  expect([names('any'), names('not'), names('contains')]).toEqual([dimensionNames, dimensionNames, texts])
})

test('a filter is one schema in every operation that has it', () => {
  const schemas = new Map<string, unknown>()
  for (const [, { query }] of filtering) {
    for (const [parameter, schema] of Object.entries(query).filter(([name]) => name.includes('.'))) {
      expect(schemas.get(parameter) ?? schema, parameter).toBe(schema)
      schemas.set(parameter, schema)
    }
  }
  expect(filtering.map(([name]) => name)).toEqual([
    ...['reports.list', 'reports.export', 'reports.count', 'reports.histogram', 'reports.grouped', 'reports.types'],
    'reports.values',
    ...['issues.list', 'issues.site', 'csp-policies.list'],
  ])
})

describe.each(firstOfChapter)('%s', (_, endpoint) => {
  test('takes several values, each once or repeated, and an empty one, which is described with an example', async () => {
    for (const { parameter, typed, schema, items } of severalOf(endpoint)) {
      const value = validOf(items)
      const none = takesNone(items) ? ['', ['', value]] : []
      for (const values of [value, [value, value], Array.from({ length: 20 }, () => value), ...none]) {
        const { status, body } = await send(endpoint, { ...typed, [parameter]: values })
        expect({ parameter, values, status, error: body?.error }).toMatchObject({ status: 200, error: undefined })
      }
      expect(schema).toMatchObject({ type: 'array', maxItems: 20, examples: [[expect.any(String)]] })
      expect(endpoint.query[parameter]?.safeParse((schema.examples as unknown[])[0])).toMatchObject({ success: true })
    }
  })

  test('rejects the 21st value and a wrong one by name, with what is allowed', async () => {
    for (const { parameter, typed, items } of severalOf(endpoint)) {
      const value = validOf(items)
      const many = Array.from({ length: 21 }, () => value)
      await expectRefused(endpoint, { ...typed, [parameter]: many }, `${parameter} can be given 20 times at most`)
      const { maxLength } = items
      const wrong = maxLength === undefined ? 'wrong' : 'é'
      const orNone = takesNone(items) ? ', or empty for no value, not' : ', not'
      const words = [`${parameter} must be `, orNone, JSON.stringify(wrong)]
      await expectRefused(endpoint, { ...typed, [parameter]: wrong }, ...words)
      await expectRefused(endpoint, { ...typed, [parameter]: [value, wrong] }, ...words)
      if (maxLength !== undefined) {
        await expectRefused(endpoint, { ...typed, [parameter]: ['', 'x'.repeat(maxLength + 1)] }, words[0] ?? '')
      }
    }
  })

  test('takes a part of a text once, of 2 to 64 characters', async () => {
    for (const { parameter, typed, schema } of filtersOf(endpoint, 'contains')) {
      for (const value of ['a_', ' % \' "', 'x'.repeat(64)]) {
        const { status, body } = await send(endpoint, { ...typed, [parameter]: value })
        expect({ parameter, value, status, error: body?.error }).toMatchObject({ status: 200 })
      }
      for (const value of ['', 'a', 'x'.repeat(65), 'a\\b', 'éé']) {
        await expectRefused(endpoint, { ...typed, [parameter]: value }, `${parameter} must be 2 to 64 characters`)
      }
      await expectRefused(endpoint, { ...typed, [parameter]: ['ab', 'ab'] }, `${parameter} was given 2 times`)
      expect(schema).toMatchObject({ type: 'string', minLength: 2, maxLength: 64, examples: [expect.any(String)] })
    }
  })
})

describe.each(filtering.filter(([, { query }]) => 'siteId.any' in query))('%s, by several sites', (_, endpoint) => {
  const filters = ['siteId.any', 'siteId.not']

  test('finds no site of another tenant or of nobody', async () => {
    for (const filter of filters) {
      for (const siteId of [other.siteIds[0], unknownId]) {
        const { status } = await send(endpoint, { [filter]: [world.siteIds[0], siteId] })
        expect([filter, status]).toEqual([filter, 404])
      }
    }
  })

  test('shows a key of one site no more than that site', async () => {
    const [own, foreign] = world.siteIds
    const to = new Date().toISOString()
    // With an addition, as a histogram has estimates then.
    const whole = await send(endpoint, { to, 'siteId.any': own })
    const read = (query: Query) => send(endpoint, { to, ...query, siteId: undefined }, narrowed)
    const dataOf = ({ body, text }: ApiResponse) => body?.data ?? text
    for (const filter of filters) {
      for (const sites of [foreign, [own, foreign], ['', foreign]]) {
        expect(await read({ [filter]: sites })).toMatchObject({ status: 404 })
      }
    }
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

test('a filter that the report type lacks is 400 by the name it was sent with', async () => {
  const [, count] = operations.all.find(([name]) => name === 'reports.count') as [string, Endpoint]
  for (const [parameter, value] of Object.entries({
    'directive.any': 'a',
    'directive.not': '',
    'directive.contains': 'ab',
  })) {
    await expectRefused(
      count,
      { reportType: 'crash', [parameter]: value },
      `${parameter}: crash reports have no directive`,
    )
  }
})
