import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { clickHouseReportWriter } from '../../app/import/reports/clickhouse-report-writer.ts'
import { toInsertLine } from '../../app/import/reports/insert-block.ts'
import { withRetry } from '../../app/program/with-retry.ts'
import { aReport } from '../../fixtures/reports.ts'
import { connect } from '../../queries/clickhouse/client.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { type ErrorCode, errorCodes } from '../../queries/clickhouse/error-codes.ts'
import { countStoredRows } from '../../queries/reports/stored-ids.ts'
import { queryRows } from '../support/database.ts'
import { type FakeClickHouse, startFakeClickHouse } from '../support/fake-clickhouse.ts'
import { connectPatiently, patience } from '../support/patience.ts'
import { playStatements } from '../support/played-statements.ts'

/** A code that no release of ClickHouse has. */
const unknown: ErrorCode = { name: 'unknown', mayHaveRun: true, anotherNode: false, ourFault: false }
const codes = [...errorCodes, ['54321', unknown] as const]
const isTransient = ({ mayHaveRun, anotherNode, ourFault }: ErrorCode) => !ourFault && (mayHaveRun || anotherNode)
const codesThat = (has: (code: ErrorCode) => boolean) => codes.filter(([, code]) => has(code)).map(([code]) => code)

const report = aReport()
const rows = Buffer.from(toInsertLine(report))
const count = countStoredRows([{ tenantId: report.tenantId, receivedAt: report.receivedAt, id: report.id }])

/** Codes of the responses to a read, and to the insert of a token; without one a ClickHouse that has no reports. */
let codeOfRead: () => string | undefined = () => undefined
let codeOfInsert: (token: string, attempt: number) => string | undefined = () => undefined
/** Tokens, one an attempt. */
let inserts: string[] = []

const message = 'it failed.'
let fake: FakeClickHouse

playStatements(({ origin, text, search }) => {
  if (origin !== fake.origin) return undefined
  if (!text.startsWith('INSERT INTO reports ')) return 'done'
  const token = search.get('query_id') ?? ''
  inserts.push(token)
  const code = codeOfInsert(token, inserts.filter((other) => other === token).length)
  return code === undefined ? 'done' : { code, message }
})

let url: string
let database: Database

beforeAll(async () => {
  fake = await startFakeClickHouse(({ query }) => {
    const code = query === '' ? undefined : codeOfRead()
    return code === undefined ? [{ rows: 0 }] : { code, message }
  })
  url = `${fake.origin}/default`
  database = connectPatiently(url)
})
afterEach(() => {
  codeOfRead = () => undefined
  codeOfInsert = () => undefined
  inserts = []
})
afterAll(async () => {
  await database.close()
  await fake.close()
})

test('each code has the name that ClickHouse gives it', async () => {
  const engine = connectPatiently(inject('servers').writeUrl)
  const names = `SELECT arrayMap(code -> errorCodeToName(code), [${[...errorCodes.keys()]}]::Array(UInt32))`
  expect(await queryRows(engine, names)).toEqual([[[...errorCodes.values()].map(({ name }) => name)]])
  await engine.close()
})

test('a read fails as an error of ours, or as ClickHouse being unavailable', async () => {
  for (const [code, { ourFault }] of codes) {
    codeOfRead = () => code
    const error = await database.read(count).catch((error: unknown) => error)
    expect(error, code).toMatchObject({ code: ourFault ? code : 'upstream_unavailable' })
  }
})

test('a read goes to another node where that may run it', async () => {
  const cluster = connect(url.replace(/(127[^/]+)/, '$1,$1'), patience)
  const onNewNodes = ['UNKNOWN_TABLE', 'UNKNOWN_DATABASE']
  for (const [code, { name, anotherNode }] of codes) {
    let reads = 0
    codeOfRead = () => (reads++ === 0 ? code : undefined)
    const found = await cluster.read(count).catch(() => undefined)
    expect([found, reads], code).toEqual(anotherNode || onNewNodes.includes(name) ? [[{ rows: 0 }], 2] : [undefined, 1])
  }
  await cluster.close()
})

test('an import sends its block again, or ends', async () => {
  codeOfInsert = (token, attempt) => (attempt === 1 ? token : undefined)
  const writer = clickHouseReportWriter(database)
  const ended: string[] = []
  for (const [code] of codes) {
    const waits = { retries: 14, minTimeout: 1, maxTimeout: 1 }
    await withRetry(() => writer.write([rows], code), undefined, waits).catch(() => ended.push(code))
  }
  expect(ended).toEqual(codesThat((code) => !isTransient(code)))
  expect(inserts.filter((token, index) => inserts.indexOf(token) !== index)).toEqual(codesThat(isTransient))
})
