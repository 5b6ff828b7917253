import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { passwordPath, readPassword } from '../../../clickhouse/engine/passwords.ts'
import { sendStatement, startTestEngine, type TestEngine } from '../../support/engine.ts'
import { attacks } from '../../support/sql-attacks.ts'

let engine: TestEngine

beforeAll(async () => {
  engine = await startTestEngine()
  await engine.write.command({ query: 'CREATE TABLE visits (id UInt64, name String) ENGINE = MergeTree ORDER BY id' })
  await engine.write.command({ query: "INSERT INTO visits VALUES (1, 'a'), (2, 'b')" })
  await engine.write.command({
    query: 'CREATE TABLE api_keys (key_hash String, id UInt64, tenant_id UUID) ENGINE = MergeTree ORDER BY key_hash',
  })
  await engine.write.command({ query: 'CREATE VIEW names AS SELECT name FROM visits' })
})

afterAll(() => engine.end())

describe('the reader', () => {
  test.each([{ query_id: '\n' }, { query_id: '€ \r\nX: y' }, { default_format: '\n' }, { query_id: '\0'.repeat(999) }])(
    'may not end the engine with %j',
    async (search) => {
      const pid = engine.pid()
      const { status } = await sendStatement(engine, 'reader', 'SELECT 1', search)
      expect([200, 400, 404, 500]).toContain(status)
      expect((await sendStatement(engine, 'reader', 'SELECT 1')).text).toBe('1\n')
      expect(engine.pid()).toBe(pid)
    },
  )

  test.each([
    'SELECT name FROM names',
    'WITH x AS (SELECT id FROM visits) SELECT count() FROM x',
    'SHOW TABLES',
    'SHOW CREATE TABLE visits',
    'DESCRIBE TABLE visits',
    'EXISTS TABLE visits',
    'EXPLAIN SELECT * FROM visits',
    "SELECT 'file(' AS text, name FROM visits WHERE name != 'SETTINGS dialect = 1'",
    'SELECT * FROM numbers(3) SETTINGS max_threads = 1, optimize_read_in_order = 0',
    'SELECT number FROM numbers(3) FORMAT JSONEachRow SETTINGS output_format_json_quote_64bit_integers = 1',
    'SELECT * FROM view(SELECT id FROM visits)',
    "SELECT * FROM merge('default', '^visits$')",
  ])('may %s', async (text) => {
    expect(await sendStatement(engine, 'reader', text)).toMatchObject({ status: 200 })
  })

  const path = () => passwordPath(engine.dataDir, 'writer')
  test.each(attacks)('the reader may not %s', async (_, attack) => {
    const statement = attack({ table: 'visits', path: path(), url: engine.url })
    const response = await sendStatement(engine, 'reader', statement)
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.code).toMatch(/^(36|46|48|60|62|80|115|164|344|358|452|481|497|701)$/)
    expect(response.text).not.toContain(readPassword(engine.dataDir, 'writer'))
    expect((await sendStatement(engine, 'reader', 'SELECT count() FROM visits')).text).toBe('2\n')
  })

  test('the reader may not name a function or a file by a parameter', async () => {
    const search = { param_f: 'file', param_t: path() }
    for (const text of [
      `SELECT {f:Identifier}('${path()}')`,
      'SELECT * FROM {t:Identifier}',
      'SELECT * FROM {f:Identifier}({t:String})',
    ]) {
      const response = await sendStatement(engine, 'reader', text, search)
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(response.text).not.toContain(readPassword(engine.dataDir, 'writer'))
    }
  })

  test('the reader may not change its session with a crafted setting or database', async () => {
    for (const search of [
      { log_comment: "x'; SET max_execution_time = 0; --" },
      { log_comment: "\\'; SET max_execution_time = 0; --" },
      { param_a: "\\'; SET max_execution_time = 0; --" },
    ]) {
      const response = await sendStatement(engine, 'reader', 'SELECT currentUser()', search as Record<string, string>)
      expect(response.text).toBe('reader\n')
    }
    const database = 'default`; DROP TABLE visits; USE `default'
    expect((await sendStatement(engine, 'reader', 'SELECT currentUser()', { database })).status).toBe(404)
  })
})
