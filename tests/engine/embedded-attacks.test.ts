import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writerPasswordPath } from '../../clickhouse/engine/access.ts'
import { ask, startTestEngine, type TestEngine } from '../support/engine.ts'

let engine: TestEngine

beforeAll(async () => {
  engine = await startTestEngine()
  await engine.write.command({ query: 'CREATE TABLE reports (id UInt64, name String) ENGINE = MergeTree ORDER BY id' })
  await engine.write.command({ query: "INSERT INTO reports VALUES (1, 'a'), (2, 'b')" })
  await engine.write.command({ query: 'CREATE VIEW names AS SELECT name FROM reports' })
})

afterAll(() => engine.end())

describe('the reader', () => {
  it('is whoever brings no credentials', async () => {
    expect((await ask(engine, 'SELECT count() FROM reports')).text).toBe('2\n')
    expect((await ask(engine, 'SELECT 1', { search: { user: 'default' } })).text).toBe('1\n')
    expect((await ask(engine, 'SELECT 1', { headers: { 'X-ClickHouse-User': 'reader' } })).text).toBe('1\n')
  })

  it.each([{ query_id: '\n' }, { query_id: '€ \r\nX: y' }, { default_format: '\n' }, { query_id: '\0'.repeat(999) }])(
    'may not end the engine with %j',
    async (search) => {
      const pid = engine.pid()
      const { status } = await ask(engine, 'SELECT 1', { search })
      expect([200, 400, 404, 500]).toContain(status)
      expect((await ask(engine, 'SELECT 1')).text).toBe('1\n')
      expect(engine.pid()).toBe(pid)
    },
  )

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
    [
      'run what follows the data of an EXPLAIN',
      () => 'EXPLAIN INSERT INTO reports FORMAT TSV\n3\tx\n\nSET ROLE writer',
    ],
    [
      'run what follows the values of an EXPLAIN',
      () => 'EXPLAIN INSERT INTO reports VALUES (3, 1); DROP TABLE reports',
    ],
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
