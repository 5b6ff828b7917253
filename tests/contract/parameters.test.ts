import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inputFields } from '../../app/openapi/json-schema.ts'
import type { Endpoint } from '../../app/pipeline/endpoint.ts'
import { querySchema } from '../../app/pipeline/query-schema.ts'
import { dimensionsOf, type ReportType, reportTypeNames } from '../../schema/report-types.ts'
import type { ApiResponse } from '../support/api.ts'
import {
  type ContractApi,
  firstOfEach,
  operations,
  type Query,
  sharedWorlds,
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
  ;[world] = await sharedWorlds(api)
})
afterAll(() => api.close())

const send = (endpoint: Endpoint, query: Query) =>
  api.request(endpoint, { key: world.key, siteId: world.siteIds[0], query })

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

const fieldsOf = (endpoint: Endpoint) => inputFields(querySchema(endpoint)).fields

/** The first operation that takes a parameter, by its name and description. */
const firstToTake = new Map(
  operations.all
    .flatMap(([name, endpoint]) =>
      Object.entries(fieldsOf(endpoint)).map((field) => [JSON.stringify(field), name] as const),
    )
    .toReversed(),
)

describe.each(operations.all)('%s', (name, endpoint) => {
  const takes = Object.keys(querySchema(endpoint))

  test('refuses unknown parameters by name, and names the parameters it takes', async () => {
    const unknown = ['nonsense', '__proto__', 'constructor', 'toString', 'From', 'site_id', 'siteId[]']
    await expectAllRefused(
      endpoint,
      unknown.map((name) => [{ [name]: '1' }, JSON.stringify(name), ...(takes.length > 0 ? named : ['allowed: none'])]),
    )
  })

  /** Filters of several values, and of a part of one, are described. */
  const named = [
    ...takes.filter((name) => !/\.(any|not|contains)$/.test(name)),
    ...['any', 'not', 'contains'].flatMap((one) => (takes.some((name) => name.endsWith(`.${one}`)) ? [`.${one}`] : [])),
  ]

  test('rejects an empty and a repeated value of each parameter that it is the first to take, but filters of several values', async () => {
    const once = Object.entries(fieldsOf(endpoint))
      .filter((field) => firstToTake.get(JSON.stringify(field)) === name && field[1].type !== 'array')
      .map(([parameter]) => parameter)
    await expectAllRefused(
      endpoint,
      once.flatMap((parameter): Refusal[] => [
        [{ [parameter]: '' }, `${parameter} must be`],
        [{ [parameter]: ['1', '1'] }, `${parameter} was sent 2 times`],
      ]),
    )
  })
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
  const fields = Object.entries(fieldsOf(endpoint))
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

test('the parameters that take any printable text are found, and have one length in all operations', () => {
  for (const name of ['documentHost', 'blockedUrl', 'reason', 'errorType', 'origin', 'destinationId', 'eventType']) {
    expect([...distinct.keys()]).toContain(name)
  }
  for (const { parameter, maxLength } of texts.flatMap(([, , found]) => found)) {
    expect([parameter, distinct.get(parameter)?.[2].maxLength]).toEqual([parameter, maxLength])
  }
})

test.each([...distinct.values()])(
  '%s rejects text that is too long or not printable ASCII: $2.parameter',
  async (...one) => {
    const [, endpoint, { parameter, maxLength, reportType }] = one
    const wrong = ['a\\b', 'é', '😀', 'a\tb', 'a\nb', '\u0000', 'x'.repeat(maxLength + 1)]
    const words = `${parameter} must be`
    await expectAllRefused(endpoint, [
      ...wrong.map((value): Refusal => [{ reportType, [parameter]: value }, words]),
      [{ reportType, [parameter]: '' }, words, 'omit the filter to include reports without a value'],
    ])
  },
)

/** What writes an operation's conditions: that of its chapter; summaries of reports read other tables than lists. */
const writerOf = (name: string) => (name === 'reports.count' ? name : name.split('.')[0])

/** By operation, the texts that no earlier one passes to the same writer of conditions. */
const firstTexts = texts.flatMap(([name, endpoint, found], index) => {
  const earlier = texts.slice(0, index).filter(([other]) => writerOf(other) === writerOf(name))
  const written = new Set(earlier.flatMap(([, , others]) => others.map(({ parameter }) => parameter)))
  const first = found.filter(({ parameter }) => !written.has(parameter))
  return first.length > 0 ? [[name, endpoint, first] as const] : []
})

describe.each(firstTexts)('%s', (_, endpoint, found) => {
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
  const most = Number(fieldsOf(endpoint).limit?.maximum)

  test('rejects what is no integer within its bounds', async () => {
    const values = ['0', `${most + 1}`, '1e2', '0x10', ' 5', '5 ', '+5', '-1', '1.0', '٣', '99999999999']
    await expectAllRefused(
      endpoint,
      values.map((limit) => [{ limit }, `limit must be an integer from 1 to ${most}`]),
    )
  })
})

// Lists with cursors have one schema of these bounds (limits.test.ts), and pages of any size (cursors.test.ts); exports
// have tests/engine/reports/stored-order.test.ts.
const bounded = firstOfEach(limits, ({ page, name, mediaTypes }) => !page && !mediaTypes && name)

describe.each(bounded)('%s, limit', (_, endpoint) => {
  const most = Number(fieldsOf(endpoint).limit?.maximum)

  test('accepts its bounds', async () => {
    const [least, all] = await Promise.all([send(endpoint, { limit: '1' }), send(endpoint, { limit: `${most}` })])
    expect([least.status, all.status]).toEqual([200, 200])
    // The issues of random reports are not those of their sources, so that advice lists what chance makes of them.
    if (endpoint.name === 'csp-policies.advice') return
    expect(itemsOf(least)).toHaveLength(1)
    expect(itemsOf(all).length).toBeGreaterThan(1)
  })
})
