import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { passwordPath, readPassword } from '../../../clickhouse/engine/passwords.ts'
import { sendStatement, startTestEngine, type TestEngine } from '../../support/engine.ts'

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
  const attacks: [string, (path: string) => string][] = [
    ['write', () => 'INSERT INTO visits VALUES (3, 1)'],
    ['write what it selects', () => 'INSERT INTO visits SELECT 1, 1'],
    ['write under a comment', () => '/* SELECT */ INSERT INTO visits VALUES (3, 1)'],
    ['write below a CTE', () => 'WITH x AS (SELECT 1) INSERT INTO visits SELECT 3, 1'],
    ['write a file', (p) => `SELECT 1 INTO OUTFILE '${p}.out'`],
    ['write a file from EXPLAIN', (p) => `EXPLAIN SELECT 1 INTO OUTFILE '${p}.out'`],
    ['write through a function', (p) => `INSERT INTO FUNCTION file('${p}.out', 'TSV') SELECT 1`],
    ['create', () => 'CREATE TABLE t (a Int8) ENGINE = Memory'],
    ['create a temporary table', () => 'CREATE TEMPORARY TABLE t (a Int8) ENGINE = Memory'],
    ['create a user', () => 'CREATE USER u'],
    ['drop', () => 'DrOp/**/TABLE visits'],
    ['truncate', () => 'TRUNCATE TABLE visits'],
    ['alter', () => 'ALTER TABLE visits DELETE WHERE 1'],
    ['optimize', () => 'OPTIMIZE TABLE visits FINAL'],
    ['check', () => 'CHECK TABLE visits'],
    ['kill', () => 'KILL QUERY WHERE 1'],
    ['shut down', () => 'SYSTEM SHUTDOWN'],
    ['flush', () => 'SYSTEM DROP MARK CACHE'],
    ['set', () => 'SET max_execution_time = 0'],
    ['act as another user', () => 'EXECUTE AS default SELECT 1'],
    ['grant', () => 'GRANT SELECT ON *.* TO default'],
    ['run two statements', () => 'SELECT 1; DROP TABLE visits'],
    ['run two statements at once', () => 'SELECT 1 PARALLEL WITH DROP TABLE visits'],
    ['begin a transaction', () => 'BEGIN TRANSACTION'],
    ['back up', (p) => `BACKUP TABLE visits TO File('${p}.zip')`],
    ['attach', () => "ATTACH TABLE x FROM '/tmp' (a Int8) ENGINE = Log"],
    ['read a file', (p) => `SELECT * FROM file('${p}', 'LineAsString')`],
    ['read a file in other case', (p) => `SELECT * FROM FiLe('${p}', 'LineAsString')`],
    ['read a file named as a table', (p) => `SELECT * FROM default.\`${p}\``],
    ['read a file as a template', (p) => `SELECT 1 FORMAT Template SETTINGS format_template_row = '${p}'`],
    ['read a file as a schema', (p) => `SELECT 1 AS a FORMAT Protobuf SETTINGS format_schema = '${p}:x'`],
    ["list the keys' hashes", () => 'SELECT key_hash FROM api_keys'],
    ["probe the keys' hashes", () => "SELECT count() FROM api_keys WHERE key_hash LIKE 'a%'"],
    ['read keys with all columns', () => 'SELECT * FROM api_keys'],
    ['read other databases', () => 'SELECT * FROM system.query_log'],
    ['see what others run', () => 'SELECT * FROM system.processes'],
    [
      'make a dictionary',
      () =>
        "CREATE DICTIONARY d (a UInt8) PRIMARY KEY a SOURCE(FILE(path '/etc/passwd' format 'TSV')) LAYOUT(FLAT()) LIFETIME(0)",
    ],
    ['stop the listener', () => 'SYSTEM STOP LISTEN HTTP'],
    ['read a directory', () => "SELECT * FROM filesystem('/etc')"],
    ['read a database file', (p) => `SELECT * FROM sqlite('${p}', 't')`],
    ['read an address', () => `SELECT * FROM url('${engine.url}/ping', LineAsString)`],
    ['read a bucket', () => "SELECT * FROM s3('http://127.0.0.1:1/bucket/key.tsv', 'TSV', 'a String')"],
    ['read a server', () => "SELECT * FROM remote('127.0.0.1', system.one)"],
    ['read a cluster', () => "SELECT * FROM cluster('default', system.one)"],
    ['read MySQL', () => "SELECT * FROM mysql('127.0.0.1:1', 'd', 't', 'u', 'p')"],
    ['read PostgreSQL', () => "SELECT * FROM postgresql('127.0.0.1:1', 'd', 't', 'u', 'p')"],
    ['run a program', () => "SELECT * FROM executable('id', 'TSV', 'a String')"],
    [
      'run what follows the data of an EXPLAIN',
      () => 'EXPLAIN INSERT INTO visits FORMAT TSV\n3\tx\n\nDROP TABLE visits',
    ],
    ['run what follows the values of an EXPLAIN', () => 'EXPLAIN INSERT INTO visits VALUES (3, 1); DROP TABLE visits'],
    ['describe a file', (p) => `DESCRIBE TABLE file('${p}')`],
    ['lift a limit', () => 'SELECT 1 SETTINGS max_execution_time = 0'],
    ['break off instead of failing', () => "SELECT 1 SETTINGS timeout_overflow_mode = 'break'"],
    ['leave readonly', () => 'SELECT 1 SETTINGS readonly = 0'],
    ['speak another dialect', () => "SELECT 1 SETTINGS dialect = 'kusto'"],
  ]

  test.each(attacks)('the reader may not %s', async (_, attack) => {
    const response = await sendStatement(engine, 'reader', attack(path()))
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
