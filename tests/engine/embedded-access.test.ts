import { statSync } from 'node:fs'
import { request } from 'node:http'
import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writerPasswordPath } from '../../clickhouse/engine/access.ts'
import { ask, startTestEngine, type TestEngine } from '../support/engine.ts'

let engine: TestEngine
const secret = 'do not read me'

beforeAll(async () => {
  engine = await startTestEngine()
  await engine.write.command({ query: 'CREATE TABLE reports (id UInt64, name String) ENGINE = MergeTree ORDER BY id' })
  await engine.write.command({ query: `INSERT INTO reports VALUES (1, 'a'), (2, '${secret}')` })
  await engine.write.command({ query: 'CREATE VIEW names AS SELECT name FROM reports' })
})

afterAll(() => engine.end())

describe('the reader', () => {
  it('is whoever brings no credentials', async () => {
    expect((await ask(engine, 'SELECT count() FROM reports')).text).toBe('2\n')
    expect((await ask(engine, 'SELECT 1', { search: { user: 'default' } })).text).toBe('1\n')
    expect((await ask(engine, 'SELECT 1', { headers: { 'X-ClickHouse-User': 'reader' } })).text).toBe('1\n')
  })

  it.each([
    'SELECT name FROM names',
    'WITH x AS (SELECT id FROM reports) SELECT count() FROM x',
    'SHOW TABLES',
    'SHOW CREATE TABLE reports',
    'DESCRIBE TABLE reports',
    'EXISTS TABLE reports',
    'EXPLAIN SELECT * FROM reports',
    'SELECT count() FROM system.parts',
    "SELECT 'file(' AS text, name FROM reports WHERE name != 'SETTINGS dialect = 1'",
    'SELECT * FROM numbers(3) SETTINGS max_threads = 1, optimize_read_in_order = 0',
    'SELECT number FROM numbers(3) FORMAT JSONEachRow SETTINGS output_format_json_quote_64bit_integers = 1',
    'SELECT * FROM view(SELECT id FROM reports)',
    "SELECT * FROM merge('default', '^reports$')",
  ])('may %s', async (text) => {
    expect(await ask(engine, text)).toMatchObject({ status: 200 })
  })

  const path = () => writerPasswordPath(engine.dataDir)
  const attacks: [string, (path: string) => string][] = [
    ['write', () => 'INSERT INTO reports VALUES (3, 1)'],
    ['write what it selects', () => 'INSERT INTO reports SELECT 1, 1'],
    ['write under a comment', () => '/* SELECT */ INSERT INTO reports VALUES (3, 1)'],
    ['write below a CTE', () => 'WITH x AS (SELECT 1) INSERT INTO reports SELECT 3, 1'],
    ['write a file', (p) => `SELECT 1 INTO OUTFILE '${p}.out'`],
    ['write a file from EXPLAIN', (p) => `EXPLAIN SELECT 1 INTO OUTFILE '${p}.out'`],
    ['write through a function', (p) => `INSERT INTO FUNCTION file('${p}.out', 'TSV') SELECT 1`],
    ['create', () => 'CREATE TABLE t (a Int8) ENGINE = Memory'],
    ['create a temporary table', () => 'CREATE TEMPORARY TABLE t (a Int8) ENGINE = Memory'],
    ['create a user', () => 'CREATE USER u'],
    ['drop', () => 'DrOp/**/TABLE reports'],
    ['truncate', () => 'TRUNCATE TABLE reports'],
    ['alter', () => 'ALTER TABLE reports DELETE WHERE 1'],
    ['optimize', () => 'OPTIMIZE TABLE reports FINAL'],
    ['check', () => 'CHECK TABLE reports'],
    ['kill', () => 'KILL QUERY WHERE 1'],
    ['shut down', () => 'SYSTEM SHUTDOWN'],
    ['flush', () => 'SYSTEM DROP MARK CACHE'],
    ['set', () => 'SET max_execution_time = 0'],
    ['take the role of the writer', () => 'SET ROLE writer'],
    ['act as another user', () => 'EXECUTE AS default SELECT 1'],
    ['grant', () => 'GRANT SELECT ON *.* TO default'],
    ['use', () => 'USE system'],
    ['run two statements', () => 'SELECT 1; DROP TABLE reports'],
    ['run two statements at once', () => 'SELECT 1 PARALLEL WITH DROP TABLE reports'],
    ['begin a transaction', () => 'BEGIN TRANSACTION'],
    ['back up', (p) => `BACKUP TABLE reports TO File('${p}.zip')`],
    ['attach', () => "ATTACH TABLE x FROM '/tmp' (a Int8) ENGINE = Log"],
    ['read a file', (p) => `SELECT * FROM file('${p}', 'LineAsString')`],
    ['read a file in other case', (p) => `SELECT * FROM FiLe('${p}', 'LineAsString')`],
    ['read a file named as a table', (p) => `SELECT * FROM default.\`${p}\``],
    ['read a file by the scalar function', (p) => `SELECT file('${p}')`],
    ['read a file by its quoted name', (p) => `SELECT "file"('${p}')`],
    ['read a file by its escaped name', (p) => `SELECT \`\\x66ile\`('${p}')`],
    ['read a file below a comment', (p) => `SELECT file/**/('${p}')`],
    ['read a file in a lambda', (p) => `SELECT arrayMap(file, ['${p}'])`],
    ['read a file with APPLY', (p) => `SELECT * APPLY(file) FROM (SELECT '${p}' AS x)`],
    ['read a file in a CTE', (p) => `WITH x AS (SELECT file('${p}') AS y) SELECT y FROM x`],
    ['read a file in a view', (p) => `SELECT * FROM view(SELECT file('${p}'))`],
    ['read a file in EXPLAIN', (p) => `EXPLAIN QUERY TREE SELECT file('${p}')`],
    ['read a file in a structure', (p) => `SELECT b FROM values('a UInt8, b String ALIAS fi\\x6ce(\\'${p}\\')', 1)`],
    [
      'read a file in another structure',
      (p) => `SELECT b FROM generateRandom('a UInt8, b String ALIAS file(\\'${p}\\')') LIMIT 1`,
    ],
    [
      'read a file in a default',
      (p) => `SELECT * FROM format(JSONEachRow, 'x String, y String DEFAULT file(\\'${p}\\')', '{}')`,
    ],
    [
      'read a file by eval',
      (p) =>
        `SELECT * FROM (SELECT * FROM eval('SELECT file(\\'${p}\\')') SETTINGS allow_experimental_eval_table_function = 1)`,
    ],
    [
      'read a file in a filter',
      (p) =>
        `SELECT * FROM reports SETTINGS additional_table_filters = {'reports': 'throwIf(1, fi\\x6ce(\\'${p}\\'))'}`,
    ],
    [
      'read a file in a filter below',
      (p) =>
        `SELECT * FROM (SELECT * FROM reports SETTINGS \`additional_table_filters\` = {'reports': 'throwIf(1, file(\\'${p}\\'))'})`,
    ],
    ['read a file as a template', (p) => `SELECT 1 FORMAT Template SETTINGS format_template_row = '${p}'`],
    ['read a file as a schema', (p) => `SELECT 1 AS a FORMAT Protobuf SETTINGS format_schema = '${p}:x'`],
    ['read a directory', () => "SELECT * FROM filesystem('/etc')"],
    ['read a database file', (p) => `SELECT * FROM sqlite('${p}', 't')`],
    ['read an address', () => `SELECT * FROM url('${engine.url}/ping', LineAsString)`],
    ['read a bucket', () => "SELECT * FROM s3('http://127.0.0.1:1/b/k', 'TSV')"],
    ['read a server', () => "SELECT * FROM remote('127.0.0.1', system.one)"],
    ['read a cluster', () => "SELECT * FROM cluster('default', system.one)"],
    ['read MySQL', () => "SELECT * FROM mysql('127.0.0.1:1', 'd', 't', 'u', 'p')"],
    ['read PostgreSQL', () => "SELECT * FROM postgresql('127.0.0.1:1', 'd', 't', 'u', 'p')"],
    ['run a program', () => "SELECT * FROM executable('id', 'TSV', 'a String')"],
    ['describe a file', (p) => `DESCRIBE TABLE file('${p}')`],
    ['lift a limit', () => 'SELECT 1 SETTINGS max_execution_time = 0'],
    ['lift a limit by DEFAULT', () => 'SELECT 1 SETTINGS max_execution_time = DEFAULT'],
    ['lift a limit below', () => 'SELECT * FROM (SELECT 1 SETTINGS max_memory_usage = 0)'],
    ['lift a limit by a profile', () => "SELECT 1 SETTINGS profile = 'default'"],
    ['break off instead of failing', () => "SELECT 1 SETTINGS timeout_overflow_mode = 'break'"],
    ['leave readonly', () => 'SELECT 1 SETTINGS readonly = 0'],
    ['speak another dialect', () => "SELECT 1 SETTINGS dialect = 'kusto'"],
  ]

  it.each(attacks)('may not %s', async (_, attack) => {
    const answer = await ask(engine, attack(path()))
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.headers.get('x-clickhouse-exception-code')).toMatch(/^(497|452|62|48|46|60|115)$/)
    expect(answer.text).not.toContain(engine.writer.password)
    expect((await ask(engine, 'SELECT count() FROM reports')).text).toBe('2\n')
  })

  it('may not name a function or a file by a parameter', async () => {
    const search = { param_f: 'file', param_t: path() }
    for (const text of [
      `SELECT {f:Identifier}('${path()}')`,
      'SELECT * FROM {t:Identifier}',
      'SELECT * FROM {f:Identifier}({t:String})',
    ]) {
      const answer = await ask(engine, text, { search })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.text).not.toContain(engine.writer.password)
    }
  })

  it('may not leave its session with a crafted setting or database', async () => {
    for (const search of [
      { log_comment: "x'; SET ROLE writer; --" },
      { log_comment: "\\'; SET ROLE writer; --" },
      { param_a: "\\'; SET ROLE writer; --" },
    ]) {
      const answer = await ask(engine, 'SELECT currentRoles()', { search: search as Record<string, string> })
      expect(answer.text).toBe("['reader']\n")
    }
    const database = 'default`; SET ROLE writer; USE `default'
    expect((await ask(engine, 'SELECT currentRoles()', { search: { database } })).status).toBe(404)
  })
})

describe("the reader's limits", () => {
  const limits: [string, string, string][] = [
    ['max_execution_time', '30', '5'],
    ['max_memory_usage', '4000000000', '1000000000'],
    ['max_result_rows', '1000000', '10'],
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
})
