import { statSync } from 'node:fs'
import { request } from 'node:http'
import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writerPasswordPath } from '../../clickhouse/engine/access.ts'
import { ask, startTestEngine, type TestEngine } from '../support/engine.ts'

let engine: TestEngine

beforeAll(async () => {
  engine = await startTestEngine()
  await engine.write.command({ query: 'CREATE TABLE reports (id UInt64, name String) ENGINE = MergeTree ORDER BY id' })
  await engine.write.command({ query: "INSERT INTO reports VALUES (1, 'a'), (2, 'b')" })
})

afterAll(() => engine.end())

describe("the reader's limits", () => {
  const limits: [string, string, string][] = [
    ['max_execution_time', '30', '5'],
    ['max_memory_usage', '4000000000', '1000000000'],
    ['max_result_rows', '1000000', '10'],
    ['max_result_bytes', '1000000000', '1000'],
  ]

  it.each(limits)('hold, may be lowered and never raised: %s', async (name, limit, lower) => {
    const text = `SELECT getSetting('${name}')`
    expect((await ask(engine, text)).text).toBe(`${limit}\n`)
    expect((await ask(engine, text, { search: { [name]: lower } })).text).toBe(`${lower}\n`)
    for (const higher of ['0', `${limit}0`]) {
      expect(await ask(engine, text, { search: { [name]: higher } })).toMatchObject({
        status: 500,
        text: expect.stringContaining('SETTING_CONSTRAINT_VIOLATION'),
      })
    }
  })

  it.each([
    { result_overflow_mode: 'break' },
    { additional_table_filters: "{'reports':'0'}" },
    { format_schema: '/etc/passwd' },
    { allow_experimental_eval_table_function: '1' },
    { readonly: '0' },
    { dialect: 'kusto' },
    { implicit_select: '1' },
  ])('are not to be got around with %o', async (search) => {
    expect((await ask(engine, 'SELECT 1', { search: search as unknown as Record<string, string> })).status).toBe(500)
  })

  it('end a result that is too long', async () => {
    for (const format of ['JSONCompact', 'TabSeparated']) {
      const text = `SELECT number FROM numbers(1100000) FORMAT ${format}`
      const answer = await ask(engine, text).catch(() => undefined)
      expect(answer === undefined || answer.text.includes('TOO_MANY_ROWS_OR_BYTES')).toBe(true)
    }
  })
})

describe('the writer', () => {
  it('has a password of this data directory that only its owner can read', () => {
    expect(engine.writer.password.length).toBeGreaterThanOrEqual(32)
    expect(statSync(writerPasswordPath(engine.dataDir)).mode & 0o777).toBe(0o600)
  })

  it.each([
    { headers: { 'X-ClickHouse-User': 'writer' } },
    { headers: { 'X-ClickHouse-User': 'writer', 'X-ClickHouse-Key': 'wrong' } },
    { headers: { Authorization: `Basic ${Buffer.from('writer:wrong').toString('base64')}` } },
    { search: { user: 'writer', password: 'wrong' } },
    { search: { user: 'admin' } },
    { search: { user: 'reader', password: 'wrong' } },
  ])('is nobody else: %o', async (options) => {
    const answer = await ask(engine, 'SELECT 1', options as { headers?: Record<string, string> })
    expect(answer.status).toBe(403)
    expect(answer.headers.get('x-clickhouse-exception-code')).toBe('516')
  })

  it('may log in by URL, header and Basic', async () => {
    const { username: user, password } = engine.writer
    expect((await ask(engine, 'SELECT currentRoles()', { search: { user, password } })).text).toBe("['writer']\n")
    const headers = { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password }
    expect((await ask(engine, 'SELECT currentRoles()', { headers })).text).toBe("['writer']\n")
    expect((await ask(engine, 'SELECT currentRoles()', { as: 'writer' })).text).toBe("['writer']\n")
  })

  it.each([
    'SYSTEM SHUTDOWN',
    "SELECT * FROM file('/etc/hostname', LineAsString)",
    "SELECT * FROM url('http://127.0.0.1:1/', LineAsString)",
    "SELECT 1 INTO OUTFILE '/tmp/never'",
    "(SELECT 1) INTO OUTFILE '/tmp/never'",
    'CREATE USER u',
    'GRANT ALL ON *.* TO default',
    'SELECT 1; SELECT 2',
  ])('may not %s', async (text) => {
    expect((await ask(engine, text, { as: 'writer' })).status).toBeGreaterThanOrEqual(400)
  })

  it('cannot write with GET', async () => {
    const search = { ...{ user: 'writer', password: engine.writer.password } }
    for (const query of ['INSERT INTO reports VALUES (9, 9)', 'DROP TABLE reports', 'TRUNCATE TABLE reports']) {
      const answer = await fetch(`${engine.url}/?${new URLSearchParams({ ...search, query })}`)
      expect(answer.headers.get('x-clickhouse-exception-code')).toBe('164')
    }
    const client = createClient({ url: engine.url, ...engine.writer })
    expect(await (await client.query({ query: 'SELECT count() FROM reports', format: 'TabSeparated' })).text()).toBe(
      '2\n',
    )
    await client.close()
  })
})

describe('a request for another host', () => {
  function statusFor(host: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const asking = request(`${engine.url}/?query=SELECT%201`, { headers: { Host: host } }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      asking.on('error', reject)
      asking.end()
    })
  }

  it.each([
    'evil.example',
    'evil.example:8123',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    '0.0.0.0',
  ])('is refused: %j', async (host) => {
    expect(await statusFor(host)).toBe(403)
  })

  it.each(['localhost', 'localhost:8123', '127.0.0.1', '[::1]:8123', 'LOCALHOST'])('is served: %j', async (host) => {
    expect(await statusFor(host)).toBe(200)
  })

  it('is refused when a page of another site sends it', async () => {
    for (const [Origin, status] of Object.entries({
      'https://evil.example': 403,
      null: 403,
      'http://localhost:3000': 200,
    })) {
      expect((await ask(engine, 'SELECT 1', { headers: { Origin: String(Origin) } })).status).toBe(status)
    }
  })
})
