import { writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ofEachUser, passwordPath, readPassword } from '../../../clickhouse/engine/passwords.ts'
import { sendStatement, startTestEngine, type TestEngine } from '../../support/engine.ts'
import { hasLandlock } from '../../support/has-landlock.ts'

/** The scalar function `file()`, which no grant covers and `clickhouse local` does not confine: the kernel does. */
let engine: TestEngine

const users = ['reader', 'analyst', 'writer'] as const
const demoKey = 'demo-key-of-a-test'
const secretVariable = 'secret-of-a-test'

beforeAll(async () => {
  vi.stubEnv('REDIS_URL', `redis://:${secretVariable}@127.0.0.1`)
  engine = await startTestEngine()
  writeFileSync(join(engine.dataDir, 'demo.json'), demoKey)
  await engine.write.command({ query: 'CREATE TABLE paths (path String) ENGINE = MergeTree ORDER BY path' })
  await engine.write.command({ query: 'CREATE TABLE texts (text String) ENGINE = MergeTree ORDER BY text' })
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await engine.end()
})

/** Each file with how its path is written. */
const files: [name: string, path: () => string][] = [
  ...users.map((user): [string, () => string] => [
    `the password of the ${user}`,
    () => passwordPath(engine.dataDir, user),
  ]),
  ['a password by a path through the data', () => `${engine.dataDir}/clickhouse/.././writer.password`],
  ['a password by a path with slashes', () => `${engine.dataDir.replaceAll('/', '//')}///writer.password`],
  ['a password by the root of a process', () => `/proc/self/root${passwordPath(engine.dataDir, 'writer')}`],
  ['a password by the working folder', () => `/proc/self/cwd/${'../'.repeat(20)}${engine.dataDir}/writer.password`],
  ['the demo keys', () => join(engine.dataDir, 'demo.json')],
  ['the log', () => join(engine.dataDir, 'log', 'clickhouse.log')],
  ['the socket of the owner', () => join(engine.dataDir, 'owner.sock')],
  ['the hashes of the passwords of this machine', () => '/etc/shadow'],
  ['the users of this machine', () => '/etc/passwd'],
  ['the environment of the engine', () => '/proc/self/environ'],
  ['the environment of the engine by its number', () => `/proc/${engine.pid()}/environ`],
  ['the environment of its parent', () => `/proc/${process.pid}/environ`],
  ['the environment of the first process', () => '/proc/1/environ'],
  ['the arguments of its parent', () => `/proc/${process.pid}/cmdline`],
  ['a source file of the product', () => join(process.cwd(), 'package.json')],
]

/** CANNOT_OPEN_FILE, UNKNOWN_FUNCTION. */
const refused = /^(76|46)$/

const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`

const spellings: [spelling: string, statement: (path: string) => string][] = [
  ['by its name', (path) => `SELECT file(${quoted(path)})`],
  ['in other case', (path) => `SELECT FiLe(${quoted(path)})`],
  ['as a quoted name', (path) => `SELECT \`file\`(${quoted(path)}), "file"(${quoted(path)})`],
  ['with a space and a comment', (path) => `SELECT file /* */ (${quoted(path)})`],
  ['in a condition', (path) => `SELECT 1 WHERE file(${quoted(path)}) LIKE 'a%'`],
  ['in a lambda', (path) => `SELECT arrayMap(x -> file(x), [${quoted(path)}])`],
  ['in a named lambda', (path) => `WITH (x -> file(x)) AS f SELECT f(${quoted(path)})`],
  ['in a subquery', (path) => `SELECT * FROM (SELECT file(${quoted(path)}) AS text)`],
  ['encoded', (path) => `SELECT hex(file(${quoted(path)})), base64Encode(file(${quoted(path)}))`],
  ['of a path in parts', (path) => `SELECT file(concat(${quoted(dirname(path))}, '/', ${quoted(basename(path))}))`],
  ['of a path in a column', (path) => `SELECT file(path) FROM (SELECT ${quoted(path)} AS path)`],
  ['of a path in base64', (path) => `SELECT file(base64Decode('${btoa(path)}'))`],
  ['in an EXPLAIN', (path) => `EXPLAIN actions = 1 SELECT file(${quoted(path)})`],
  ['as a column of a format', (path) => `SELECT file(${quoted(path)}) AS a FORMAT JSONEachRow`],
]

function expectNoSecret(text: string): void {
  const secrets = [...Object.values(ofEachUser((user) => readPassword(engine.dataDir, user))), demoKey, secretVariable]
  for (const secret of secrets) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(btoa(secret).slice(0, 12))
  }
}

describe.skipIf(!hasLandlock())('file()', () => {
  describe.each(users)('of the %s', (user) => {
    test.each(files)('reads nothing of %s', async (_, path) => {
      for (const [spelling, statement] of spellings) {
        const { code, text } = await sendStatement(engine, user, statement(path()))
        expect([spelling, code]).toEqual([spelling, expect.stringMatching(refused)])
        expectNoSecret(text)
      }
    })

    test.each(files)('reads nothing of %s by a parameter, and returns its own default', async (_, path) => {
      const search = { param_path: path() }
      const { text } = await sendStatement(engine, user, 'SELECT file({path:String})', search)
      expect(text).toMatch(/^Code: /)
      const other = await sendStatement(engine, user, "SELECT file({path:String}, 'default')", search)
      expect(other.text).toBe('default\n')
    })

    test('finds no secret in the environment of a thread', async () => {
      const { text } = await sendStatement(engine, user, "SELECT file('/proc/thread-self/environ')")
      expect(text).toContain('READER_PASSWORD_SHA256=')
      const names = [...text.matchAll(/(?:^|\\0)(\w+)=/g)].map(([, name]) => name)
      expect(names.filter((name) => name?.includes('PASSWORD') && !name.endsWith('_SHA256'))).toEqual([])
      expectNoSecret(text)
    })
  })

  test.each(files)('of the writer stores nothing of %s', async (_, path) => {
    for (const statement of [
      `INSERT INTO texts SELECT file(${quoted(path())})`,
      `INSERT INTO texts VALUES (file(${quoted(path())}))`,
      `CREATE TABLE filled ENGINE = MergeTree ORDER BY tuple() AS SELECT file(${quoted(path())}) AS text`,
      `ALTER TABLE texts ADD COLUMN other String DEFAULT file(${quoted(path())}), MATERIALIZE COLUMN other SETTINGS mutations_sync = 2`,
    ]) {
      const { code } = await sendStatement(engine, 'writer', statement)
      expect(code).not.toBeNull()
    }
    expect((await sendStatement(engine, 'reader', 'SELECT count() FROM texts')).text).toBe('0\n')
  })
})
