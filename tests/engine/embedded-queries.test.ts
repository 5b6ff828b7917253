import { gunzipSync, gzipSync } from 'node:zlib'
import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, startTestEngine, type TestEngine } from '../support/engine.ts'

let engine: TestEngine

beforeAll(async () => {
  engine = await startTestEngine()
  await engine.write.command({
    query:
      'CREATE TABLE events (tenant UInt64, at DateTime64(3), name String) ENGINE = MergeTree ORDER BY (tenant, at)',
  })
  await engine.write.insert({
    table: 'events',
    values: Array.from({ length: 40 }, (_, i) => ({ tenant: i % 4, at: 1_600_000_000_000 + i, name: `name ${i % 4}` })),
    format: 'JSONEachRow',
  })
})

afterAll(() => engine.end())

describe('the HTTP interface', () => {
  it('answers ping and the bare address', async () => {
    expect(await (await fetch(`${engine.url}/ping`)).text()).toBe('Ok.\n')
    expect(await (await fetch(engine.url)).text()).toBe('Ok.\n')
    expect(await engine.read.ping()).toEqual({ success: true })
    expect(await engine.read.ping({ select: true })).toEqual({ success: true })
  })

  it('takes the query from the URL, the body, or both', async () => {
    expect((await ask(engine, 'SELECT 1')).text).toBe('1\n')
    expect((await ask(engine, '', { search: { query: 'SELECT 2' } })).text).toBe('2\n')
    expect((await ask(engine, '+ 1', { search: { query: 'SELECT 2' } })).text).toBe('3\n')
    expect(await (await fetch(`${engine.url}/?query=SELECT%204`)).text()).toBe('4\n')
  })

  it.each(['JSON', 'JSONCompact', 'JSONEachRow', 'JSONStrings', 'JSONCompactEachRow'] as const)(
    'answers @clickhouse/client in %s',
    async (format) => {
      const query = 'SELECT tenant, count() AS reports FROM events GROUP BY tenant ORDER BY tenant'
      const answer = await engine.read.query({ query, format: format as 'JSON' })
      expect(JSON.stringify(await answer.json())).toMatch(/reports|10/)
      expect(answer.response_headers['x-clickhouse-format']).toBe(format)
    },
  )

  it('describes its answer in the headers a server sends', async () => {
    const answer = await ask(engine, 'SELECT count() FROM events WHERE tenant = 1 FORMAT JSONCompact', {
      search: { query_id: 'request-7' },
    })
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/json; charset=UTF-8',
      'x-clickhouse-query-id': 'request-7',
      'x-clickhouse-format': 'JSONCompact',
      'x-clickhouse-timezone': 'UTC',
      'x-clickhouse-server-display-name': expect.any(String),
    })
    const summary = JSON.parse(answer.headers.get('x-clickhouse-summary') ?? '{}')
    expect(summary).toMatchObject({ result_rows: '1', written_rows: '0', elapsed_ns: expect.stringMatching(/^\d+$/) })
    expect(Number(summary.read_rows)).toBeGreaterThan(0)
  })

  it('honours database, default format and log_comment', async () => {
    const search = { database: 'system', default_format: 'CSV', log_comment: '{"endpoint":"x"}' }
    expect((await ask(engine, "SELECT getSetting('log_comment'), currentDatabase()", { search })).text).toBe(
      '"{""endpoint"":""x""}","system"\n',
    )
    const headers = { 'X-ClickHouse-Format': 'JSONEachRow', 'X-ClickHouse-Database': 'system' }
    expect((await ask(engine, 'SELECT currentDatabase() AS d', { headers })).text).toBe('{"d":"system"}\n')
  })

  it('packs answers with gzip when asked', async () => {
    const query = 'SELECT number FROM numbers(100000)'
    const client = createClient({ url: engine.url, compression: { response: true, request: true } })
    const answer = await client.query({ query, format: 'JSONEachRow' })
    expect(answer.response_headers['content-encoding']).toBe('gzip')
    expect(await answer.json()).toHaveLength(100_000)
    const small = await client.query({ query: 'SELECT 1 AS one', format: 'JSONCompact' })
    expect(small.response_headers['content-encoding']).toBe('gzip')
    expect((await small.json()).data).toEqual([[1]])
    await client.close()
    expect(
      (await ask(engine, 'SELECT 1', { search: { enable_http_compression: '0' } })).headers.has('content-encoding'),
    ).toBe(false)
  })

  it('unpacks gzip requests', async () => {
    const packed = gzipSync('SELECT 11 + 1')
    const response = await fetch(engine.url, { method: 'POST', body: packed, headers: { 'Content-Encoding': 'gzip' } })
    expect(await response.text()).toBe('12\n')
    expect(gunzipSync(packed).toString()).toBe('SELECT 11 + 1')
  })

  it('runs commands and hands out raw streams', async () => {
    const { stream } = await engine.read.exec({ query: 'SELECT 1 AS one FORMAT CSVWithNames' })
    expect(Buffer.concat(await stream.toArray()).toString()).toBe('"one"\n1\n')
    const done = await engine.write.command({
      query: 'INSERT INTO events SELECT 9, 0, toString(number) FROM numbers(3)',
    })
    expect(done.summary?.written_rows).toBe('3')
  })

  it('refuses sessions in words', async () => {
    const answer = await ask(engine, 'SELECT 1', { search: { session_id: 'x' } })
    expect(answer).toMatchObject({ status: 501, text: expect.stringContaining('session_id') })
  })
})

describe('errors', () => {
  it.each([
    ['SELECT * FROM no_such_table', 404, 60, 'UNKNOWN_TABLE'],
    ['SELECT no_such_column FROM events', 404, 47, 'UNKNOWN_IDENTIFIER'],
    ['SELECT FROM WHERE', 400, 62, 'SYNTAX_ERROR'],
    ['SELEC 1', 400, 62, 'SYNTAX_ERROR'],
    ['', 400, 62, 'SYNTAX_ERROR'],
    ['SELECT 1; SELECT 2', 400, 62, 'SYNTAX_ERROR'],
    ['SELECT 1 FORMAT NoSuchFormat', 404, 73, 'UNKNOWN_FORMAT'],
    ['SELECT 1 SETTINGS no_such_setting = 1', 404, 115, 'UNKNOWN_SETTING'],
    ["SELECT throwIf(1, 'boom')", 500, 395, 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'],
    ["SELECT throwIf(1, 'boom') FORMAT JSON", 500, 395, 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'],
    ['SELECT sum(sleepEachRow(0.1)) FROM numbers(100) SETTINGS max_block_size = 1', 408, 159, 'TIMEOUT_EXCEEDED'],
    ['DROP TABLE events', 403, 497, 'ACCESS_DENIED'],
  ])('%s -> %i, code %i', async (text, status, code, name) => {
    const answer = await ask(engine, text, { search: { max_execution_time: '1' } })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('x-clickhouse-exception-code')).toBe(String(code))
    expect(answer.text).toMatch(new RegExp(`^Code: ${code}\\. DB::Exception: [^]*\\(${name}\\)\n$`))
    expect(answer.text).not.toContain('query_id:')
  })

  it('reach @clickhouse/client with code and type', async () => {
    await expect(engine.read.query({ query: 'SELECT * FROM nowhere' })).rejects.toMatchObject({
      code: '60',
      type: 'UNKNOWN_TABLE',
    })
  })

  it('leave no row behind: 480 queries of 8 tenants, one in five fails after it produced rows', async () => {
    const bad = 'SELECT {t:UInt64} AS tenant, throwIf(number = 3000) AS x FROM numbers(4000)'
    const good = 'SELECT {t:UInt64} AS tenant, number FROM numbers(50)'
    let failed = 0
    async function tenant(t: number): Promise<void> {
      for (let i = 0; i < 60; i++) {
        const format = i % 2 === 0 ? 'JSONCompact' : 'JSONCompactEachRow'
        const query_params = { t }
        if (i % 5 === 0) {
          const run = engine.read.query({
            query: bad,
            format,
            query_params,
            clickhouse_settings: { max_block_size: '500' },
          })
          await expect(run.then((answer) => answer.json())).rejects.toMatchObject({ code: '395' })
          failed++
          continue
        }
        const answer = await engine.read.query({ query: good, format, query_params })
        const body = await answer.json<unknown[]>()
        const rows = (Array.isArray(body) ? body : body.data) as [string | number, unknown][]
        expect(rows.map(([owner]) => Number(owner))).toEqual(Array(50).fill(t))
      }
    }
    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(tenant))
    expect(failed).toBe(96)
  })
})
