import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { z } from 'zod'
import { type ConnectOptions, connect } from '../../../queries/clickhouse/client.ts'
import type { Database, ReadOptions } from '../../../queries/clickhouse/database.ts'
import type { Query } from '../../../queries/sql/query.ts'
import { rowJson } from '../../../queries/sql/rows.ts'
import { sql, uint } from '../../../queries/sql/sql.ts'
import { startFaultServer } from '../../support/faults.ts'
import { connectPatiently, patience } from '../../support/patience.ts'

let database: Database

beforeAll(() => {
  database = connectPatiently(inject('servers').readUrl)
})

afterAll(() => database.close())

const row = z.object({ number: z.int() })
const echoOf = (number: number): Query<z.infer<typeof row>> => ({
  name: 'echo',
  statement: sql`SELECT ${uint(number)} AS number`,
  row,
})
const echo = (number: number, options?: ReadOptions) => database.read(echoOf(number), options)

const many = Array.from({ length: 200 }, (_, index) => index)

test('more reads than connections all get their own rows', async () => {
  expect(await Promise.all(many.map((number) => echo(number)))).toEqual(many.map((number) => [{ number }]))
})

test('a query of few rows runs on one thread, as a lookup does', async () => {
  const threads: Query<{ number: number }> = {
    name: 'threads',
    statement: sql`SELECT toUInt32(getSetting('max_threads')) AS number`,
    row,
  }
  const [[many], [few], [lookup]] = await Promise.all([
    database.read(threads),
    database.read({ ...threads, fewRows: true }),
    database.read({ ...threads, pool: 'lookup' }),
  ])
  expect([few, lookup]).toEqual([{ number: 1 }, { number: 1 }])
  expect(many?.number).not.toBe(1)
})

test('reads that time out, queued or running, break no later read', async () => {
  for (let round = 0; round < 3; round++) {
    const hasty = await Promise.allSettled(
      many.map((number) => echo(number, { signal: AbortSignal.timeout(1 + (number % 40)) })),
    )
    expect(hasty.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
    const patient = await Promise.all(many.map((number) => echo(number)))
    expect(patient).toEqual(many.map((number) => [{ number }]))
  }
})

/** The same ClickHouse behind a server that breaks its responses as no healthy one does. */
async function connectBehindFaults(options: ConnectOptions = patience) {
  const faults = await startFaultServer(inject('servers').readUrl)
  const behind = connect(faults.url, options)
  const close = async () => {
    await faults.close()
    await behind.close()
  }
  return { faults, behind, close }
}

const lookUp = { ...echoOf(1), name: 'findEcho', pool: 'lookup' } as const

test('a lookup waits for no query', async () => {
  const { faults, behind, close } = await connectBehindFaults()
  faults.inject('hang', (query) => query === 'echo')
  const queries = Promise.allSettled(many.map((number) => behind.read(echoOf(number))))
  expect(await behind.read(lookUp)).toEqual([{ number: 1 }])
  await close()
  await queries
})

test('a lookup times out after 1.8 s, and while no sign of life comes after 0.8 s', async () => {
  const { faults, behind, close } = await connectBehindFaults({})
  faults.inject('hang')
  for (const milliseconds of [1_800, 800]) {
    await expect(behind.read(lookUp)).rejects.toMatchObject({
      code: 'upstream_unavailable',
      cause: { message: `No response within ${milliseconds} ms` },
    })
  }
  await close()
})

test('queued queries of one tenant do not delay another tenant’s query', async () => {
  const { faults, behind, close } = await connectBehindFaults()
  faults.inject('hang', (query) => query === 'echo')
  const readFor = (tenantId: string, name: string, number: number) =>
    behind.read({ ...echoOf(number), name }, { origin: { endpoint: 'echo', tenantId, requestId: String(number) } })
  const greedy = Promise.allSettled(many.map((number) => readFor('greedy', 'echo', number)))
  expect(await readFor('patient', 'quick', 1)).toEqual([{ number: 1 }])
  faults.inject()
  await close()
  await greedy
})

test('a response without end times out', async () => {
  const { faults, behind, close } = await connectBehindFaults()
  faults.inject('endless')
  await expect(behind.read(echoOf(1))).rejects.toMatchObject({
    code: 'upstream_unavailable',
    cause: { code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' },
  })
  await close()
})

test('a closed connection is replaced once', async () => {
  const { faults, behind, close } = await connectBehindFaults()
  let resets = 1
  faults.inject('reset', () => resets-- > 0)
  expect(await behind.read(echoOf(2))).toEqual([{ number: 2 }])
  faults.inject('reset')
  await expect(behind.read(echoOf(3))).rejects.toMatchObject({ code: 'upstream_unavailable' })
  await close()
})

test('a stored text that is no JSON is internal_error, and no outage', async () => {
  const statement = sql`SELECT 'no JSON' AS stored`
  const reading = database.read({ name: 'readJson', statement, row: z.object({ stored: rowJson(z.unknown()) }) })
  await expect(reading).rejects.toBeInstanceOf(SyntaxError)
})
