import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { querySchema } from '../../app/pipeline/query-schema.ts'
import { isAddition } from '../../schema/additions.ts'
import { fieldDimensions } from '../../schema/dimensions.ts'
import { reportTypeNames } from '../../schema/report-types.ts'
import { type ContractApi, operations, startContractApi } from '../support/contract.ts'
import { lintDescription } from '../support/lint-description.ts'
import { createResponseCheck } from '../support/response-check.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description: string
  readonly schema: Readonly<Record<string, unknown>>
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly responses: Readonly<Record<string, object>>
}

interface Success {
  readonly content: { readonly 'application/json': { readonly schema: { readonly examples: readonly unknown[] } } }
}

let api: ContractApi
let text: string
let paths: Readonly<Record<string, { readonly get: Operation }>>

beforeAll(async () => {
  api = await startContractApi()
  text = (await api.get('/openapi.json')).text
  paths = JSON.parse(text).paths
})
afterAll(() => api.close())

const operationAt = (path: string) => {
  const operation = paths[path]?.get
  if (!operation) throw new Error(`${path} is not described`)
  return operation
}

const parameterOf = (path: string, name: string) =>
  operationAt(path).parameters.find((parameter) => parameter.name === name)

test('the description is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(JSON.parse(text))
  expect(errors ?? []).toEqual([])
  expect(valid).toBe(true)
  expect(validator.version).toBe('3.1')
})

test('the description passes the linter without an error or a warning', async () => {
  expect(await lintDescription(text)).toEqual([])
})

test('the description has the operations and the health checks, and nothing else', () => {
  const described = Object.entries(paths).map(([path, item]) => [path, ...Object.keys(item)])
  const mounted = [...operations.all.map(([, { path }]) => path), '/livez', '/readyz', '/readyz/self']
  expect(described).toEqual(mounted.map((path) => [path, 'get']))
})

test.each([
  '/v1/me',
  '/v1/reports',
  '/v1/reports/count',
  '/v1/reports/histogram',
  '/v1/reports/grouped',
  '/v1/reports/types',
  '/v1/issues',
  '/v1/sites/{siteId}/issues',
  '/v1/sites/{siteId}/issues/{issueId}/reports',
  '/v1/crashes',
  '/v1/browser-changes',
  '/v1/network-errors',
  '/v1/sites/{siteId}/csp-policies',
  '/v1/sites/{siteId}/scripts',
  '/v1/sites/{siteId}/scripts/{scriptId}',
  '/v1/sites/{siteId}/pages',
  '/v1/sites/{siteId}/pages/{pageId}/scans',
  '/v1/sites/{siteId}/pages/{pageId}/scans/{scanId}',
  '/v1/compliance/pci-dss',
  '/v1/alert-deliveries',
])('describes GET %s of the contract', (path) => {
  expect(paths).toHaveProperty([path, 'get'])
})

test.each(['/livez', '/readyz', '/readyz/self'])('the description has the responses of %s', async (path) => {
  createResponseCheck(text)({ path, ...(await api.get(path)) })
})

test('the description gives every operation an id that is a valid identifier', () => {
  const ids = Object.values(paths).map(({ get }) => get.operationId)
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]*$/)
  expect(new Set(ids).size).toBe(ids.length)
})

test('the description closes no enumeration and no object of a response', () => {
  const responses = JSON.stringify([Object.values(paths).map(({ get }) => get.responses), JSON.parse(text).components])
  expect(responses).not.toContain('"enum"')
  expect(responses).not.toContain('additionalProperties')
})

test('the description lists every error code', () => {
  const { code } = JSON.parse(text).components.schemas.Error.properties.error.properties
  const listed = ['bad_request', 'invalid_api_key', 'plan_upgrade_required', 'not_found', 'rate_limited']
  const unavailable = ['rate_limit_unavailable', 'upstream_unavailable']
  const others = ['validation_error', 'forbidden', 'internal_error']
  expect(code['x-extensible-enum']).toEqual(expect.arrayContaining([...listed, ...unavailable, ...others]))
})

test('the description gives a format without a pattern, also where null is allowed', () => {
  const { Report, BrowserChangeTotals } = JSON.parse(text).components.schemas
  const time = { type: ['string', 'null'], format: 'date-time' }
  expect(Report.properties.anticipatedRemoval).toEqual(time)
  expect(BrowserChangeTotals.properties.soonestRemoval).toEqual(time)
  expect(text).not.toContain('[13579][26]')
})

test('the description of a nullable enumeration has its values and the meaning of null', () => {
  const { ScriptCapture } = JSON.parse(text).components.schemas
  expect(ScriptCapture.properties.reason.description).toMatch(
    /^Null unless refused\. Known values: daily_cap, [^.]+\.$/,
  )
})

/** Words that readers of HTTP references do not expect; client generators copy the texts into every SDK. */
const unwanted =
  /\b(answer\w*|stands?|standing|keeps?|kept|looks?|leaves?|left|tells?|told|says?|said|ask\w*|questions?|whoever|lanes?|turns?|under way)\b/gi

function textsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string' && ['description', 'summary'].includes(name) ? [inner] : textsOf(inner),
  )
}

test('the description has the words of HTTP: response, success, not modified, validator, returns', () => {
  const texts = textsOf(JSON.parse(text))
  expect(texts.length).toBeGreaterThan(500)
  expect(texts.flatMap((one) => one.match(unwanted) ?? [])).toEqual([])
})

test('the description has no trace of its generator', () => {
  expect(text).not.toContain('"override"')
  expect(text).not.toContain('$defs')
})

describe.each(operations.all)('%s', (_, endpoint) => {
  test('lists its parameters, each with a description and a type', () => {
    const { parameters } = operationAt(endpoint.path)
    const named = (place: string) => parameters.filter((one) => one.in === place).map(({ name }) => name)
    expect(named('query')).toEqual(Object.keys(querySchema(endpoint)))
    expect(named('path')).toEqual(Object.keys(endpoint.pathParams))
    for (const { description, schema } of parameters) {
      expect(description).toMatch(/^[A-Z]/)
      expect(schema.type).toMatch(/^(string|integer|boolean|array)$/)
    }
  })

  test('gives an example, which it accepts, of each required parameter but UUIDs', () => {
    const fields = { ...endpoint.pathParams, ...endpoint.query }
    for (const { name, required, schema } of operationAt(endpoint.path).parameters) {
      if (!required || schema.format === 'uuid') continue
      const [example] = (schema.examples ?? []) as unknown[]
      expect({ name, example, ...fields[name]?.safeParse(String(example)) }).toMatchObject({ name, success: true })
      expect(example, name).toBeDefined()
    }
  })

  test('gives examples, which it accepts, of each parameter that the contract lacks', () => {
    for (const [name, field] of Object.entries(querySchema(endpoint))) {
      if (!isAddition(field)) continue
      const examples = (parameterOf(endpoint.path, name)?.schema.examples ?? []) as unknown[]
      expect(examples, name).not.toHaveLength(0)
      for (const example of examples) expect(field.safeParse(String(example))).toMatchObject({ success: true })
    }
  })

  test('lists every error it can send', () => {
    const statuses = Object.keys(operationAt(endpoint.path).responses)
    expect(statuses).toEqual(expect.arrayContaining(['200', '400', '401', '429', '500', '503']))
    expect(statuses.includes('403')).toBe(!endpoint.alwaysWorks)
    expect(statuses.includes('404')).toBe(endpoint.path.includes('{') || 'siteId' in endpoint.query)
  })
})

test('the examples of responses are responses, and nothing that a schema lacks', () => {
  const withExamples = operations.all.filter(([, { response }]) => response.meta()?.examples)
  for (const [name, { path, response }] of withExamples) {
    const { examples } = (operationAt(path).responses['200'] as Success).content['application/json'].schema
    expect(examples, name).not.toHaveLength(0)
    for (const example of examples) expect(response.parse(example)).toEqual(example)
  }
  expect(withExamples.map(([name]) => name)).toEqual(['csp-policies.advice', 'csp-policies.check'])
})

// The host of documentUrl has no field of its own (Rule 36).
test.each(fieldDimensions.filter((name) => name !== 'documentHost'))(
  'a report has the %s that it is filtered and grouped by',
  (dimension) => {
    expect(JSON.parse(text).components.schemas.Report.properties).toHaveProperty(dimension)
  },
)

test('the description has the bounds, defaults and values of parameters', () => {
  const grouped = '/v1/reports/grouped'
  expect(parameterOf(grouped, 'limit')?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 20 })
  expect(parameterOf('/v1/reports', 'limit')?.schema).toEqual({
    type: 'integer',
    minimum: 1,
    maximum: 200,
    default: 50,
  })
  expect(parameterOf('/v1/reports', 'cursor')?.schema).toMatchObject({ minLength: 1, maxLength: 1024 })
  expect(parameterOf(grouped, 'from')?.schema).toEqual({ type: 'string', format: 'date-time' })
  expect(parameterOf(grouped, 'siteId')?.schema).toEqual({ type: 'string', format: 'uuid' })
  expect(parameterOf(grouped, 'browserName')?.schema).toMatchObject({ minLength: 1, maxLength: 64 })
  expect(parameterOf(grouped, 'reportType')?.schema).toEqual({
    type: 'string',
    enum: reportTypeNames,
    default: 'csp-violation',
  })
  expect(parameterOf(grouped, 'groupBy')).toMatchObject({ required: true, schema: { type: 'string' } })
})

test.each(['`ETag`', '`If-None-Match`', 'gzip'])('the description mentions %s', (words) => {
  expect(JSON.parse(text).info.description).toContain(words)
})

test('the description requires two distinct dimensions in groupBy', () => {
  expect(parameterOf('/v1/reports/grouped', 'groupBy')?.description).toContain('two distinct')
})

test('the groupBy pattern accepts the same values as the operation', () => {
  const pattern = new RegExp(String(parameterOf('/v1/reports/grouped', 'groupBy')?.schema.pattern))
  for (const taken of ['directive', 'browserName,osName']) expect(taken).toMatch(pattern)
  for (const refused of ['', 'directive,', 'a', 'osName,osName,osName', 'osName browserName']) {
    expect(refused).not.toMatch(pattern)
  }
})
