/** @module Statements that only a user with more rights may run. */

/** A table of the engine, a file that it must not read, and its address. */
export interface AttackTarget {
  readonly table: string
  readonly path: string
  readonly url: string
}

type Attack = (target: AttackTarget) => string

export const attacks: readonly [name: string, attack: Attack][] = [
  ['write', ({ table }) => `INSERT INTO ${table} VALUES (3, 1)`],
  ['write what it selects', ({ table }) => `INSERT INTO ${table} SELECT 1, 1`],
  ['write under a comment', ({ table }) => `/* SELECT */ INSERT INTO ${table} VALUES (3, 1)`],
  ['write below a CTE', ({ table }) => `WITH x AS (SELECT 1) INSERT INTO ${table} SELECT 3, 1`],
  ['write a file', ({ path }) => `SELECT 1 INTO OUTFILE '${path}.out'`],
  ['write a file from EXPLAIN', ({ path }) => `EXPLAIN SELECT 1 INTO OUTFILE '${path}.out'`],
  ['write through a function', ({ path }) => `INSERT INTO FUNCTION file('${path}.out', 'TSV') SELECT 1`],
  ['create', () => 'CREATE TABLE t (a Int8) ENGINE = Memory'],
  ['create a temporary table', () => 'CREATE TEMPORARY TABLE t (a Int8) ENGINE = Memory'],
  ['create a user', () => 'CREATE USER u'],
  ['drop', ({ table }) => `DrOp/**/TABLE ${table}`],
  ['truncate', ({ table }) => `TRUNCATE TABLE ${table}`],
  ['alter', ({ table }) => `ALTER TABLE ${table} DELETE WHERE 1`],
  ['optimize', ({ table }) => `OPTIMIZE TABLE ${table} FINAL`],
  ['check', ({ table }) => `CHECK TABLE ${table}`],
  ['kill', () => 'KILL QUERY WHERE 1'],
  ['shut down', () => 'SYSTEM SHUTDOWN'],
  ['flush', () => 'SYSTEM DROP MARK CACHE'],
  ['set', () => 'SET max_execution_time = 0'],
  ['act as another user', () => 'EXECUTE AS default SELECT 1'],
  ['grant', () => 'GRANT SELECT ON *.* TO default'],
  ['run two statements', ({ table }) => `SELECT 1; DROP TABLE ${table}`],
  ['run two statements at once', ({ table }) => `SELECT 1 PARALLEL WITH DROP TABLE ${table}`],
  ['begin a transaction', () => 'BEGIN TRANSACTION'],
  ['back up', ({ table, path }) => `BACKUP TABLE ${table} TO File('${path}.zip')`],
  ['attach', () => "ATTACH TABLE x FROM '/tmp' (a Int8) ENGINE = Log"],
  ['read a file', ({ path }) => `SELECT * FROM file('${path}', 'LineAsString')`],
  ['read a file in other case', ({ path }) => `SELECT * FROM FiLe('${path}', 'LineAsString')`],
  ['read a file named as a table', ({ path }) => `SELECT * FROM default.\`${path}\``],
  ['read a file as a template', ({ path }) => `SELECT 1 FORMAT Template SETTINGS format_template_row = '${path}'`],
  ['read a file as a schema', ({ path }) => `SELECT 1 AS a FORMAT Protobuf SETTINGS format_schema = '${path}:x'`],
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
  ['read a database file', ({ path }) => `SELECT * FROM sqlite('${path}', 't')`],
  ['read an address', ({ url }) => `SELECT * FROM url('${url}/ping', LineAsString)`],
  ['read a bucket', () => "SELECT * FROM s3('http://127.0.0.1:1/bucket/key.tsv', 'TSV', 'a String')"],
  ['read a server', () => "SELECT * FROM remote('127.0.0.1', system.one)"],
  ['read a cluster', () => "SELECT * FROM cluster('default', system.one)"],
  ['read MySQL', () => "SELECT * FROM mysql('127.0.0.1:1', 'd', 't', 'u', 'p')"],
  ['read PostgreSQL', () => "SELECT * FROM postgresql('127.0.0.1:1', 'd', 't', 'u', 'p')"],
  ['run a program', () => "SELECT * FROM executable('id', 'TSV', 'a String')"],
  [
    'run what follows the data of an EXPLAIN',
    ({ table }) => `EXPLAIN INSERT INTO ${table} FORMAT TSV\n3\tx\n\nDROP TABLE ${table}`,
  ],
  [
    'run what follows the values of an EXPLAIN',
    ({ table }) => `EXPLAIN INSERT INTO ${table} VALUES (3, 1); DROP TABLE ${table}`,
  ],
  ['describe a file', ({ path }) => `DESCRIBE TABLE file('${path}')`],
  ['lift a limit', () => 'SELECT 1 SETTINGS max_execution_time = 0'],
  ['break off instead of failing', () => "SELECT 1 SETTINGS timeout_overflow_mode = 'break'"],
  ['leave readonly', () => 'SELECT 1 SETTINGS readonly = 0'],
  ['speak another dialect', () => "SELECT 1 SETTINGS dialect = 'kusto'"],
]
