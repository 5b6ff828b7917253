import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { findKey } from '../../../queries/tenants/keys.ts'
import { findSiteToken } from '../../../queries/tenants/site-tokens.ts'
import { listTenants } from '../../../queries/tenants/tenants.ts'
import { sendStatement, type TestEngine } from '../../support/engine.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { connectPatiently } from '../../support/patience.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let engine: TestEngine
let reader: Database
let writer: Database
let tenantId: string
const token = makeSiteToken()

beforeAll(async () => {
  engine = await startMigratedEngine()
  reader = connectPatiently(engine.userUrls.reader)
  writer = connectPatiently(engine.userUrls.writer)
  const store = createTenantWriter(writer)
  tenantId = await store.createTenant()
  await store.createSite(tenantId, { name: 'Shop', token })
  await store.createKey(tenantId)
})

afterAll(async () => {
  await Promise.all([reader?.close(), writer?.close()])
  await engine?.end()
})

const send = (statement: string, search: Readonly<Record<string, string>> = {}) =>
  sendStatement(engine, 'analyst', statement, search)

/** ACCESS_DENIED. */
const denied = '497'

describe('the analyst', () => {
  test.each([
    'SELECT count() FROM reports_named',
    'SELECT count() FROM reports_per_hour_named',
    'SELECT count() FROM issues_per_day_named',
    'SELECT name FROM sites FINAL',
    'SELECT name FROM tenants FINAL',
    'SELECT count() FROM reports',
    'SELECT sum(rows) FROM system.parts',
    'SHOW TABLES',
    'SHOW CREATE TABLE reports_named',
  ])('may %s', async (statement) => {
    expect(await send(statement)).toMatchObject({ status: 200 })
  })

  test.each([
    'SELECT token FROM sites',
    'SELECT * FROM sites FINAL',
    "SELECT count() FROM sites WHERE token LIKE 'a%'",
    "SELECT token FROM merge('default', '^sites$')",
    'SELECT name FROM api_keys FINAL',
    'SELECT count() FROM api_keys',
    'SHOW CREATE TABLE api_keys',
    "SELECT name FROM api_key_by_hash(key_hash = 'x')",
    'SELECT query FROM system.processes',
    'INSERT INTO tenants (id) VALUES (generateUUIDv4())',
    'CREATE TABLE t (a Int8) ENGINE = Memory',
    'CREATE VIEW t AS SELECT 1',
    'ALTER TABLE reports DELETE WHERE 1',
    'DROP VIEW reports_named',
    'SYSTEM FLUSH LOGS',
    'KILL QUERY WHERE 1',
    "BACKUP TABLE reports TO File('mine')",
    "SELECT * FROM url('http://127.0.0.1/', LineAsString)",
  ])('may not %s', async (statement) => {
    expect((await send(statement)).code).toBe(denied)
  })

  test('lists neither the table of keys nor the lookup of one', async () => {
    expect((await send('SHOW TABLES')).text).not.toContain('api_key')
    expect((await send("SELECT count() FROM system.columns WHERE table LIKE 'api_key%'")).text).toBe('0\n')
  })

  test('reads nothing through a view that its tables refuse', async () => {
    await writer.command('CREATE VIEW tokens SQL SECURITY INVOKER AS SELECT name, token FROM sites')
    expect((await send('SELECT name FROM tokens')).text).toBe('Shop\n')
    expect((await send('SELECT token FROM tokens')).code).toBe(denied)
    await writer.command('DROP VIEW tokens')
  })

  test('reads no copy of the database beside it, whose keys and tokens are the same', async () => {
    await writer.command('CREATE DATABASE default_copy')
    await writer.command('CREATE TABLE default_copy.sites AS default.sites')
    expect((await send('SELECT token FROM default_copy.sites')).code).toBe(denied)
    await writer.command('DROP DATABASE default_copy')
  })

  const limits: [name: string, byDefault: string, most: string, more: string][] = [
    ['max_execution_time', '30', '120', '121'],
    ['max_memory_usage', '4000000000', '4000000000', '4000000001'],
    ['max_result_rows', '1000000', '1000000', '1000001'],
    ['max_result_bytes', '1000000000', '1000000000', '1000000001'],
  ]

  test.each(limits)('the limit %s is %s, and can be set to %s, not to %s', async (name, limit, most, more) => {
    const statement = `SELECT getSetting('${name}')`
    expect((await send(statement)).text).toBe(`${limit}\n`)
    expect((await send(statement, { [name]: most })).text).toBe(`${most}\n`)
    // On a cluster, 0 is the limit of a part of a result.
    for (const higher of name.startsWith('max_result_') ? [more] : [more, '0']) {
      expect((await send(statement, { [name]: higher })).code).toBe('452')
      expect((await send(statement, { profile: 'reader', [name]: higher })).code).toBe('452')
    }
  })

  test('runs on one thread by default, and after the API’s statements', async () => {
    expect((await send("SELECT getSetting('priority'), getSetting('max_threads')")).text).toBe('2\t1\n')
    expect((await sendStatement(engine, 'reader', "SELECT getSetting('priority')")).text).toBe('1\n')
    expect((await send('SELECT 1', { max_threads: '4' })).status).toBe(200)
    for (const search of [
      { priority: '1' },
      { priority: '0' },
      { low_priority_query_wait_time_ms: '0' },
      { profile: 'reader' },
    ]) {
      expect((await send('SELECT 1', search as unknown as Record<string, string>)).code).toBe('452')
    }
  })

  test('gets the first rows with result_overflow_mode=break, as DBeaver and JDBC send it, and not for the time', async () => {
    const search = { max_result_rows: '10', result_overflow_mode: 'break', max_block_size: '10' }
    const { status, text } = await send('SELECT arrayJoin(range(1000))', search)
    expect({ status, rows: text.split('\n').slice(0, 3) }).toEqual({ status: 200, rows: ['0', '1', '2'] })
    expect((await send('SELECT 1', { timeout_overflow_mode: 'break' })).code).toBe('452')
  })

  test.each([
    { readonly: '0' },
    { dialect: 'kusto' },
    { format_schema: '/etc/passwd' },
    { max_concurrent_queries_for_user: '0' },
    { allow_experimental_eval_table_function: '1' },
    { profile: 'writer', readonly: '0' },
  ])('cannot leave its profile with %o', async (search) => {
    expect((await send('SELECT 1', search as unknown as Record<string, string>)).code).toMatch(/^(452|164|497|291)$/)
  })
})

test('the query log shows statements of the API, but neither a site’s token nor the hash of a key', async () => {
  const hash = 'ab'.repeat(32)
  const origin = { endpoint: 'me', tenantId, requestId: 'request-1' }
  await reader.read(findKey(hash, 'lookup'), { origin })
  await writer.read(findSiteToken(token))
  await reader.read(listTenants, { origin })
  const ofRequest = "query_id LIKE 'request-1-%' AND type = 'QueryFinish'"
  const logged = () => send(`SELECT query FROM system.query_log WHERE ${ofRequest} FORMAT TSVRaw`)
  await expect.poll(async () => (await logged()).text).toContain('FROM tenants')
  expect((await send('SELECT query, formatted_query, exception FROM system.query_log')).text).not.toMatch(
    new RegExp(`${hash}|${token}`),
  )
  // They are in the log: only the analyst does not see them.
  const all = await sendStatement(engine, 'writer', 'SELECT query FROM system.query_log')
  expect(all.text).toContain(hash)
  expect(all.text).toContain(token)
})
