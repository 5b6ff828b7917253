import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inputFields } from '../../app/openapi/json-schema.ts'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { querySchema } from '../../app/pipeline/query-schema.ts'
import { dimensionNames, dimensionRows } from '../../schema/dimensions.ts'
import { dimensionsOf, reportTypeNames } from '../../schema/report-types.ts'
import {
  type ContractApi,
  operations,
  type Query,
  sharedWorlds,
  startContractApi,
  type TestWorld,
} from '../support/contract.ts'

let api: ContractApi
let world: TestWorld

beforeAll(async () => {
  api = await startContractApi()
  ;[world] = await sharedWorlds(api)
})
afterAll(() => api.close())

const send = (endpoint: Endpoint, query: Query) =>
  api.request(endpoint, { key: world.key, siteId: world.siteIds[0], query })

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

/** Of each report type, all of its filters in one request. */
async function expectTaken<Filter extends ReturnType<typeof filtersOf>[number]>(
  endpoint: Endpoint,
  filters: readonly Filter[],
  valuesOf: (filter: Filter) => string | string[],
) {
  for (const reportType of new Set(filters.map(({ typed }) => typed.reportType))) {
    const ofType = filters.filter(({ typed }) => typed.reportType === reportType)
    const query = { reportType, ...Object.fromEntries(ofType.map((one) => [one.parameter, valuesOf(one)])) }
    const { status, body } = await send(endpoint, query)
    expect({ query, status, error: body?.error }).toMatchObject({ status: 200, error: undefined })
  }
}

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
    const severalFilters = severalOf(endpoint)
    for (const { parameter, schema, items } of severalFilters) {
      const value = validOf(items)
      const none = takesNone(items) ? ['', ['', value]] : []
      const examples = (schema.examples as unknown[])[0]
      for (const values of [value, [value, value], Array.from({ length: 20 }, () => value), ...none, examples]) {
        expect({ parameter, values, ...endpoint.query[parameter]?.safeParse(values) }).toMatchObject({ success: true })
      }
      expect(schema).toMatchObject({ type: 'array', maxItems: 20, examples: [[expect.any(String)]] })
    }
    await expectTaken(endpoint, severalFilters, ({ items }) => validOf(items))
    await expectTaken(endpoint, severalFilters, ({ items }) => [validOf(items), ...(takesNone(items) ? [''] : [])])
  })

  test('rejects the 21st value and a wrong one by name, with what is allowed', async () => {
    for (const { parameter, typed, items } of severalOf(endpoint)) {
      const value = validOf(items)
      const many = Array.from({ length: 21 }, () => value)
      await expectRefused(endpoint, { ...typed, [parameter]: many }, `${parameter} can be sent at most 20 times`)
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
    const partFilters = filtersOf(endpoint, 'contains')
    for (const value of ['a_', ' % \' "', 'x'.repeat(64)]) await expectTaken(endpoint, partFilters, () => value)
    for (const { parameter, typed, schema } of partFilters) {
      for (const value of ['', 'a', 'x'.repeat(65), 'a\\b', 'éé']) {
        await expectRefused(endpoint, { ...typed, [parameter]: value }, `${parameter} must be 2 to 64 characters`)
      }
      await expectRefused(endpoint, { ...typed, [parameter]: ['ab', 'ab'] }, `${parameter} was sent 2 times`)
      expect(schema).toMatchObject({ type: 'string', minLength: 2, maxLength: 64, examples: [expect.any(String)] })
    }
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
