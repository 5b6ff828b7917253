import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { errorCodes } from '../../queries/clickhouse/error-codes.ts'
import {
  type ContractApi,
  firstOfEach,
  operations,
  sharedWorlds,
  startContractApi,
  type TestWorld,
} from '../support/contract.ts'
import {
  expectInternalError,
  expectUnavailable,
  type Fault,
  type FaultServer,
  startFaultServer,
} from '../support/faults.ts'

/** Stands for what a store's messages can hold and no caller may read. */
const secret = 'reports_of_another_tenant'

let store: FaultServer
const lines: string[] = []
let api: ContractApi
let world: TestWorld

beforeAll(async () => {
  store = await startFaultServer(inject('servers').readUrl)
  api = await startContractApi({
    readUrl: store.url,
    log: pino({ level: 'error' }, { write: (line) => void lines.push(line) }),
  })
  ;[world] = await sharedWorlds(api)
})
afterEach(() => {
  store.inject()
  lines.length = 0
})
afterAll(async () => {
  await api.close()
  await store.close()
})

/** One client reads ClickHouse for every operation: through the response cache, without it, or as a stream. */
const reading = firstOfEach(operations.withWindow, ({ cache, mediaTypes }) => [cache, mediaTypes])

/** The fault of every query about reports. */
const answerWith = (fault: Fault) => store.inject(fault, (query) => !/^find|^$/.test(query))

const send = ([, endpoint]: (typeof operations.all)[number]) =>
  api.request(endpoint, { key: world.key, siteId: world.siteIds[0] })

const exception = (code: number, status: number) =>
  new Response(`Code: ${code}. DB::Exception: in ${secret}. (SOME_NAME) (version 26.7.2.1)\n`, {
    status,
    headers: { 'X-ClickHouse-Exception-Code': String(code) },
  })

const row = (name: string, value: unknown) =>
  Response.json({ meta: [{ name, type: 'String' }], data: [[value]], rows: 1 })

const page = (status: number) =>
  new Response(`<h1>${secret}</h1>`, { status, headers: { 'Content-Type': 'text/html' } })

describe('a transient error is upstream_unavailable:', () => {
  test.each([
    ['a response of 500 in plain text', () => new Response(`${secret} is on fire`, { status: 500 })],
    ['a proxy’s page', () => page(502)],
    ['a proxy’s page instead of rows', () => page(200)],
    ['no body', () => new Response('')],
    ['half a body', () => new Response(`{"meta":[{"name":"${secret}"`)],
    ['fewer rows than it says', () => Response.json({ meta: [], data: [], rows: 1 })],
    ['rows and the error that ended them', () => Response.json({ meta: [], data: [], rows: 0, exception: secret })],
    ['a body of another shape', () => Response.json({ [secret]: 1 })],
    ['no connection', 'reset'],
    ['a deadline passed', () => exception(159, 500)],
    ['too many queries', () => exception(202, 500)],
    ['no memory left', () => exception(241, 500)],
    ['a table not there yet', () => exception(60, 404)],
    ['a password being changed', () => exception(516, 403)],
  ] as const)('%s', async (_, response) => {
    answerWith(response)
    for (const operation of reading) {
      const response = await send(operation)
      expectUnavailable(response)
      expect(response.text).not.toContain(secret)
    }
  })
})

describe('a defect of ours is internal_error:', () => {
  test.each([
    ['a statement the store does not understand', () => exception(62, 400)],
    ['a column that does not exist', () => exception(47, 404)],
    ['a right that is missing', () => exception(497, 403)],
    ['rows without the selected columns', () => row(secret, 1)],
    ['rows with values of another type', () => row('reportCount', secret)],
  ] as const)('%s', async (_, response) => {
    answerWith(response)
    for (const operation of reading) {
      const response = await send(operation)
      expectInternalError(response)
      expect(response.text).not.toContain(secret)
    }
  })
})

test('each code of ClickHouse’s errors is internal_error where the fault is ours, and upstream_unavailable otherwise', async () => {
  const codes = [...errorCodes, ['54321', { ourFault: false }] as const]
  for (const [code, { ourFault }] of codes) {
    answerWith(() => exception(Number(code), 500))
    const response = await api.get('/v1/reports/count', { key: world.key })
    if (ourFault) expectInternalError(response)
    else expectUnavailable(response)
  }
})

test('the log has the cause that the response hides, under the request’s id', async () => {
  answerWith(() => exception(62, 400))
  const { headers } = await api.get('/v1/reports/count', { key: world.key })
  const line = lines.find((one) => one.includes(headers.get('X-Request-Id') ?? 'none'))
  expect(line).toContain(secret)
  expect(line).not.toContain(world.key.key)
})

test('the database recovers without a restart', async () => {
  answerWith('reset')
  for (const operation of operations.withWindow) expectUnavailable(await send(operation))
  store.inject()
  for (const operation of operations.withWindow) expect(await send(operation)).toMatchObject({ status: 200 })
})
