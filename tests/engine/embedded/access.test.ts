import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ofEachUser, passwordPath, readPassword } from '../../../clickhouse/engine/passwords.ts'
import { sendRequest, sendStatement, startTestEngine, type TestEngine } from '../../support/engine.ts'

let engine: TestEngine

beforeAll(async () => {
  engine = await startTestEngine()
  await engine.write.command({ query: 'CREATE TABLE reports (id UInt64, name String) ENGINE = MergeTree ORDER BY id' })
  await engine.write.command({ query: "INSERT INTO reports VALUES (1, 'a'), (2, 'b')" })
})

afterAll(() => engine.end())

const wrongPassword = '516'
const noSessionLeft = '700'

describe("the reader's limits", () => {
  const limits: [name: string, byDefault: string, other: string, most: string][] = [
    ['max_execution_time', '30', '5', '3600'],
    ['max_memory_usage', '4000000000', '1000000000', '4000000000'],
    ['max_result_rows', '1000000', '10', '1000000000000'],
    ['max_result_bytes', '1000000000', '1000', '1000000000000000'],
  ]

  test.each(limits)('the limit %s holds, and can be set up to a bound', async (name, limit, other, most) => {
    const statement = `SELECT getSetting('${name}')`
    expect((await sendStatement(engine, 'reader', statement)).text).toBe(`${limit}\n`)
    for (const allowed of [other, most]) {
      expect((await sendStatement(engine, 'reader', statement, { [name]: allowed })).text).toBe(`${allowed}\n`)
    }
    expect((await sendStatement(engine, 'reader', statement, { [name]: `${most}0` })).code).toBe('452')
    // What a shard sends to another node of a cluster has no limit of its own, which is 0.
    const unlimited = name.startsWith('max_result_') ? null : '452'
    expect((await sendStatement(engine, 'reader', statement, { [name]: '0' })).code).toBe(unlimited)
  })

  test.each([
    { result_overflow_mode: 'break' },
    { timeout_overflow_mode: 'break' },
    { max_concurrent_queries_for_user: '0' },
    { format_schema: '/etc/passwd' },
    { format_template_row: '/etc/passwd' },
    { allow_experimental_eval_table_function: '1' },
    { readonly: '0' },
    { dialect: 'kusto' },
  ])('cannot be lifted with %o', async (search) => {
    const { status, code } = await sendStatement(
      engine,
      'reader',
      'SELECT 1',
      search as unknown as Record<string, string>,
    )
    expect(status).toBe(500)
    expect(code).toMatch(/^(452|164|497|291)$/)
  })

  test('the limits end a result that is too long', async () => {
    const statement = 'SELECT number FROM numbers(1100000) FORMAT JSONCompact'
    const whole = await sendStatement(engine, 'reader', statement, { wait_end_of_query: '1' })
    expect(whole).toMatchObject({ code: '396', text: expect.stringContaining('TOO_MANY_ROWS_OR_BYTES') })
    const streamed = await sendStatement(engine, 'reader', statement).catch(() => undefined)
    expect(streamed === undefined || streamed.text.includes('TOO_MANY_ROWS_OR_BYTES')).toBe(true)
  })

  test('the limits hold under any profile, and in a subquery with its own settings', async () => {
    const limits = "SELECT getSetting('max_execution_time'), getSetting('max_memory_usage'), getSetting('readonly')"
    for (const profile of ['default', 'writer', 'own_session']) {
      expect((await sendStatement(engine, 'reader', limits, { profile })).text).toBe('30\t4000000000\t2\n')
      expect((await sendStatement(engine, 'reader', `${limits} SETTINGS profile = '${profile}'`)).text).toBe(
        '30\t4000000000\t2\n',
      )
    }
    const inner = 'SELECT number AS k, count() FROM numbers(10000000) GROUP BY k SETTINGS max_memory_usage = 0'
    const small = { max_memory_usage: '10000000' }
    expect((await sendStatement(engine, 'reader', `SELECT sum(k) FROM (${inner})`, small)).code).toBe('241')
  })
})

describe('a password', () => {
  test.each(['reader', 'analyst', 'writer'] as const)(
    'the password of the %s is readable only by the owner of the data folder',
    (user) => {
      expect(readPassword(engine.dataDir, user).length).toBeGreaterThanOrEqual(32)
      expect(statSync(passwordPath(engine.dataDir, user)).mode & 0o777).toBe(0o600)
    },
  )

  test('a password is generated once for a folder and differs from every other', () => {
    const folder = mkdtempSync(join(tmpdir(), 'passwords-'))
    const read = () => Object.values(ofEachUser((user) => readPassword(folder, user)))
    const passwords = read()
    const ofEngine = Object.values(ofEachUser((user) => readPassword(engine.dataDir, user)))
    expect(new Set([...passwords, ...ofEngine]).size).toBe(6)
    expect(read()).toEqual(passwords)
    rmSync(folder, { recursive: true })
  })

  test.each(['reader', 'analyst', 'writer'] as const)(
    'lets the %s in by header, by URL and by Basic authorization',
    async (user) => {
      const password = readPassword(engine.dataDir, user)
      const body = 'SELECT currentUser()'
      const ways = [
        sendRequest(`${engine.url}/?user=${user}&password=${password}`, { method: 'POST', body }),
        sendRequest(engine.url, {
          method: 'POST',
          body,
          headers: { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password },
        }),
        sendStatement(engine, user, body),
      ]
      for (const way of ways) expect((await way).text).toBe(`${user}\n`)
    },
  )

  const basic = (text: string) => ({ headers: { Authorization: `Basic ${btoa(text)}` } })

  test.each<[string, string, RequestInit, string]>([
    ['no credentials', '', {}, noSessionLeft],
    ["the engine's own user", '?user=default', {}, noSessionLeft],
    ["the engine's own user with a limit of its own", '?user=default&max_sessions_for_user=9', {}, noSessionLeft],
    ["the engine's own user by Basic", '', basic('default:'), noSessionLeft],
    ["the engine's own user by header", '', { headers: { 'X-ClickHouse-User': 'default' } }, noSessionLeft],
    ['no password', '?user=reader', {}, wrongPassword],
    ['a wrong password', '?user=writer&password=wrong', {}, wrongPassword],
    ['a wrong password by Basic', '', basic('writer:wrong'), wrongPassword],
    ['a user that does not exist', '?user=admin', {}, wrongPassword],
  ])('is needed: %s', async (_, search, init, code) => {
    for (const request of [
      { ...init, method: 'POST', body: 'SELECT 1' },
      { ...init, method: 'GET' },
    ]) {
      const query = request.method === 'GET' ? `${search ? `${search}&` : '?'}query=SELECT%201` : search
      const response = await sendRequest(`${engine.url}/${query}`, request)
      expect(response).toMatchObject({ code, status: code === wrongPassword ? 403 : 500 })
    }
  })

  test("another user's session cannot become the engine's own", async () => {
    const { text } = await sendStatement(engine, 'reader', 'SELECT currentUser()', { user: 'default' })
    expect(text).not.toContain('default\n')
  })
})

describe('the writer', () => {
  test('the writer cannot write with GET', async () => {
    const { password } = new URL(engine.userUrls.writer)
    for (const query of ['INSERT INTO reports VALUES (9, 9)', 'DROP TABLE reports', 'TRUNCATE TABLE reports']) {
      const search = new URLSearchParams({ user: 'writer', password, query })
      expect((await sendRequest(`${engine.url}/?${search}`, {})).code).toBe('164')
    }
    expect((await sendStatement(engine, 'writer', 'SELECT count() FROM reports')).text).toBe('2\n')
  })

  test('the writer writes to the databases of the project and to no other', async () => {
    expect((await sendStatement(engine, 'writer', 'CREATE DATABASE default_copy')).status).toBe(200)
    expect((await sendStatement(engine, 'writer', 'DROP DATABASE default_copy')).status).toBe(200)
    expect((await sendStatement(engine, 'writer', 'CREATE DATABASE other')).code).toBe('497')
  })
})

test("ClickHouse's own SQL page is served, for the reader's name and password", async () => {
  const page = await sendRequest(`${engine.url}/play`, {})
  expect(page.status).toBe(200)
  expect(page.text).toContain('<html')
})

test('the parts of a merge stay for a minute, in which a restart repairs what it spoiled', async () => {
  const statement = "SELECT value FROM system.merge_tree_settings WHERE name = 'old_parts_lifetime'"
  expect((await sendStatement(engine, 'writer', statement)).text).toBe('60\n')
})
