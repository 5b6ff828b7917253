import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createMemoryBudgets } from '../../../app/budgets/memory-budgets.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { hourMs } from '../../../schema/durations.ts'
import { reportFieldNames } from '../../../schema/responses/report.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { now, retentionFrom, runs, startOracleWorld, windowParams } from '../../oracles/oracle-world.ts'
import { oracleList } from '../../oracles/report-oracle.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { connectPatiently } from '../../support/patience.ts'
import { queryText } from '../../support/query-text.ts'
import { reportRequest } from '../../support/report-requests.ts'
import type { TestKey } from '../../support/tenants.ts'

let api: TestApi
let key: TestKey
let rows: readonly StoredReport[]
let folder: string
/** As the user that writes. */
let writer: Database

beforeAll(async () => {
  ;({ api, key, rows } = await startOracleWorld({ count: 6_000, siteCount: 3 }))
  writer = connectPatiently(inject('servers').writeUrl)
  folder = mkdtempSync(join(tmpdir(), 'export-'))
})
afterAll(async () => {
  await Promise.all([api?.close(), writer?.close()])
  rmSync(folder, { recursive: true })
})

function send(params: Parameters<typeof queryText>[0], as = key, headers: Record<string, string> = {}, of = api) {
  const init = { headers: { Authorization: `Bearer ${as.key}`, ...headers } }
  return fetch(`${of.url}/v1/reports/export?${queryText(params)}`, init)
}

const month = windowParams({ from: now - 31 * 24 * hourMs, to: now })

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('NDJSON is every report of the oracle, as the list has it, and a line of their number', async () => {
  const property = fc.asyncProperty(reportRequest(rows, retentionFrom, now, 31), async (one) => {
    const response = await send({ reportType: one.reportType, ...one.filters, ...windowParams(one.window) })
    expect(response.status).toBe(200)
    const expected = oracleList(rows, one.window, one.reportType, one.filters)
    const lines = linesOf(await response.text())
    expect(lines).toEqual([...expected, { end: { reports: expected.length } }])
    expect(response.headers.get('Export-Report-Count')).toBe(String(expected.length))
    expect(response.headers.get('Content-Type')).toBe('application/x-ndjson')
  })
  await fc.assert(property, runs(60))
})

test('fields are sent in the order they are named in, and without the last line where end is false', async () => {
  const fields = ['blockedUrl', 'receivedAt', 'id']
  const whole = linesOf(await (await send({ ...month })).text()).slice(0, -1)
  const some = linesOf(await (await send({ ...month, fields: fields.join(','), end: 'false' })).text())
  expect(some).toEqual(whole.map((one) => Object.fromEntries(fields.map((field) => [field, one[field]]))))
  expect(Object.keys(some[0])).toEqual(fields)
})

test.each(['x', 'id,id', 'id,', 'ID', 'tenantId'])('the fields %s are refused by name', async (fields) => {
  const response = await send({ fields })
  expect(response.status).toBe(400)
  expect(((await response.json()) as { error: { message: string } }).error.message).toMatch(/^fields must be/)
})

describe('read by DuckDB', () => {
  async function query(statement: string): Promise<Record<string, unknown>[]> {
    const connection = await (await DuckDBInstance.create()).connect()
    const result = await connection.runAndReadAll(statement)
    return result.getRowObjectsJson() as Record<string, unknown>[]
  }

  async function download(params: Readonly<Record<string, string>>): Promise<string> {
    const path = join(folder, `export.${params.format}`)
    const response = await send(params)
    expect(response.status).toBe(200)
    writeFileSync(path, Buffer.from(await response.arrayBuffer()))
    return path
  }

  test.each(['csp-violation', 'network-error', 'crash', 'deprecation'])('CSV of %s is NDJSON', async (reportType) => {
    const path = await download({ ...month, reportType, format: 'csv' })
    const read = await query(
      `SELECT * FROM read_csv('${path}', all_varchar = true, header = true, quote = '"', escape = '"', allow_quoted_nulls = false)`,
    )
    const expected = linesOf(await (await send({ ...month, reportType, end: 'false' })).text())
    const text = (value: unknown) =>
      value === null ? null : String(value).replace(/^(?=[=+\-@\t\r\n\0＝＋－＠])/, "'")
    expect(read).toEqual(
      expected.map((one) => Object.fromEntries(Object.entries(one).map(([field, value]) => [field, text(value)]))),
    )
  })

  test.each(['csp-violation', 'network-error', 'crash', 'deprecation'])(
    'Parquet of %s is NDJSON',
    async (reportType) => {
      const path = await download({ ...month, reportType, format: 'parquet' })
      const json = (field: string) => {
        const isTime = field === 'receivedAt' || field === 'anticipatedRemoval'
        return isTime ? `strftime(${field}::TIMESTAMP, '%Y-%m-%dT%H:%M:%S.%gZ') AS ${field}` : `"${field}"`
      }
      const read = await query(`SET TimeZone = 'UTC'; SELECT ${reportFieldNames.map(json).join(', ')} FROM '${path}'`)
      expect(read).toEqual(linesOf(await (await send({ ...month, reportType, end: 'false' })).text()))
    },
  )
})

test('a CSV cell that begins like a formula is guarded, and a line end within a cell is kept', async () => {
  const tenantId = await api.createTenant()
  const own = await api.createKey(tenantId)
  const hostile = ['=cmd()', '+1', '-1', '@x', '\ttab', '\rreturn', '\n=1', '\0=1', '＝cmd()', '＋1', '－1', '＠x']
  const harmless = ['a=b', '＜x', 'two\nlines, "quoted"']
  const receivedAt = now - hourMs
  const random = seeded(1)
  const sent = [...hostile, ...harmless].map((sample) =>
    aReport({ tenantId, sample, receivedAt, id: uuidV7(receivedAt, random) }),
  )
  await api.insertReports(sent)
  const text = await (await send({ format: 'csv', fields: 'sample' }, own)).text()
  for (const cell of hostile) expect(text).toContain(`"'${cell}"\n`)
  expect(text).toContain('"a=b"\n')
  expect(text).toContain('"＜x"\n')
  expect(text).toContain('"two\nlines, ""quoted"""\n')
})

test('members beside the fields are in exports that name them and in lists with details', async () => {
  const tenantId = await api.createTenant()
  const own = await api.createKey(tenantId)
  const [context, rest] = ['{"build":"7"}', '{"=cmd()":1}']
  const common = { tenantId, reportType: 'crash' as const, receivedAt: now - hourMs }
  const id = uuidV7(common.receivedAt, seeded(2))
  await api.insertReports([
    aReport({ ...common, context, rest, id }),
    aReport({ ...common, receivedAt: now - 2 * hourMs }),
  ])
  const asked = { ...month, reportType: 'crash' }
  const exported = await send({ ...asked, fields: 'context,rest', end: 'false' }, own)
  const empty = { context: null, rest: null }
  expect(linesOf(await exported.text())).toEqual([{ context, rest }, empty])
  const list = async (query: object) =>
    (
      await api.get(`/v1/reports?${queryText({ ...windowParams({ from: now - 3 * hourMs, to: now }), ...query })}`, {
        key: own,
      })
    ).body
  const plain = await list({ reportType: 'crash' })
  const [first, second] = plain.data
  const detailed = await list({ reportType: 'crash', details: 'true' })
  expect(detailed.data).toEqual([
    { ...first, context, rest },
    { ...second, ...empty },
  ])
  expect(await list({ reportType: 'crash', details: 'false' })).toEqual(plain)
  expect(first).not.toHaveProperty('rest')
})

test('it is gzipped where the client takes it', async () => {
  const response = await send(month, key, { 'Accept-Encoding': 'gzip' })
  expect(response.headers.get('Content-Encoding')).toBe('gzip')
  expect(await response.text()).toBe(await (await send(month, key, { 'Accept-Encoding': 'identity' })).text())
})

test('HEAD counts and sends nothing', async () => {
  const response = await fetch(`${api.url}/v1/reports/export`, {
    method: 'HEAD',
    headers: { Authorization: `Bearer ${key.key}` },
  })
  expect([response.status, await response.text()]).toEqual([200, ''])
  expect(Number(response.headers.get('Export-Report-Count'))).toBeGreaterThan(0)
})

describe('its cost', () => {
  /** Budgets that do not fill again, however long a busy machine takes. */
  let steady: TestApi

  beforeAll(async () => {
    steady = await startApi({ now: () => new Date(now), budgets: createMemoryBudgets({ now: () => 0 }) })
  })
  afterAll(() => steady?.close())

  const request = (params: Parameters<typeof queryText>[0], own: TestKey) => send(params, own, {}, steady)

  /** Reports a second apart, made by ClickHouse. */
  async function tenantWith(count: number, keyLimit: number): Promise<TestKey> {
    const tenantId = await api.createTenant({ overrides: { keyLimit, tenantLimit: 1_000 } })
    await api.insertReports([aReport({ tenantId, receivedAt: now - hourMs })])
    const columns = `tenant_id, report_type, received_at, id, retention_days, weight, sample_rate`
    const values = `'${tenantId}', 'csp-violation', fromUnixTimestamp64Milli(${now} - 1000 * (number % 3600 + 1)), generateUUIDv7(), 365, 1000000, 1`
    await writer.command(`INSERT INTO reports (${columns}) SELECT ${values} FROM numbers(${count - 1})`)
    return api.createKey(tenantId)
  }

  test('is a token, and one more for each 10,000 reports', async () => {
    const own = await tenantWith(25_000, 100)
    const response = await request({ fields: 'id' }, own)
    expect(response.headers.get('RateLimit-Remaining')).toBe('97')
    expect(linesOf(await response.text()).at(-1)).toEqual({ end: { reports: 25_000 } })
  })

  test('beyond the budget is a 429 before the first byte', async () => {
    const own = await tenantWith(40_000, 4)
    const response = await request({}, own)
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    expect(response.status).toBe(429)
    expect(error).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('4 more requests') })
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0)
    // The key still has the tokens that were too few.
    expect((await request({ from: new Date(now - 60_000).toISOString(), fields: 'id' }, own)).status).toBe(200)
  })
})
