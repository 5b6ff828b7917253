import { hash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { storeSqlUser } from '../../../app/tenants/sql-users.ts'
import { rowPolicies, userName } from '../../../clickhouse/sql-users.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { cli } from '../../support/cli.ts'
import { commandsOn, refused as refusedByEngine } from '../../support/cli-commands.ts'
import { startWebServer, type WebServer } from '../../support/web-server.ts'

/** Users, policies and rights as a server stores them, which the embedded engine cannot. */
class AccessStorage {
  version = '26.7.6.5'
  readonly policies = new Map<string, { database: string; table: string; filter: string }>()
  readonly hashes = new Map<string, string>()
  readonly granted = new Set<string>()
  quotas = 0
  /** Statements until the connection ends. */
  left = Number.POSITIVE_INFINITY

  rowsOf(query: string): readonly object[] | undefined {
    if (query === 'findVersion') return [{ version: this.version }]
    if (query === 'listPolicies') return [...this.policies.values()]
    if (query === 'listUsers') return [...this.hashes.keys()].map((user) => ({ user }))
    return undefined
  }

  /** False for a statement about something else. */
  run(statement: string, param: (name: string) => string): boolean {
    const [, kind = '', rest = ''] =
      /^(CREATE ROW POLICY|CREATE QUOTA|CREATE USER|GRANT|DROP USER) (.*)$/.exec(statement) ?? []
    if (kind === '') return false
    const user = /`(.*)`/.exec(rest)?.[1] ?? ''
    const policy = /^OR REPLACE tenant_sql ON (\w+)\.(\w+) AS RESTRICTIVE FOR SELECT USING (.*) TO tenant_sql$/.exec(
      rest,
    )
    if (policy) {
      const [, database = '', table = '', filter = ''] = policy
      this.policies.set(`${database}.${table}`, { database, table, filter })
    }
    if (kind === 'CREATE QUOTA') this.quotas++
    if (kind === 'CREATE USER') {
      this.hashes.set(param('user'), param('hash'))
      this.granted.delete(param('user'))
    }
    if (kind === 'GRANT' && this.hashes.has(user)) this.granted.add(user)
    if (kind === 'DROP USER') {
      this.hashes.delete(user)
      this.granted.delete(user)
    }
    return true
  }
}

let storage: AccessStorage
let proxy: WebServer
/** The shared engine's responses, except for its users. */
const { done, refused, makeTenant, run } = commandsOn(() => urlOf('default'), { untilForgotten: async () => {} })

function urlOf(database: string): string {
  const { username, password } = new URL(inject('servers').writeUrl)
  return `http://${username}:${password}@127.0.0.1:${proxy.port}/${database}`
}

beforeAll(async () => {
  const { origin } = new URL(inject('servers').writeUrl)
  proxy = await startWebServer(async (request, response) => {
    const body = await text(request)
    const { searchParams } = new URL(request.url ?? '', origin)
    const { query = '' } = JSON.parse(searchParams.get('log_comment') || '{}')
    const rows = storage.rowsOf(query)
    if (rows) {
      const names = Object.keys(rows[0] ?? {})
      const data = rows.map((row) => names.map((name) => row[name as keyof typeof row]))
      return void response.end(JSON.stringify({ meta: names.map((name) => ({ name })), data, rows: rows.length }))
    }
    const isAccess = /^(?:CREATE (?:ROW|QUOTA|USER)|GRANT|DROP USER)/.test(body)
    if (isAccess && storage.left-- <= 0) return void request.socket.destroy()
    if (storage.run(body, (name) => searchParams.get(`param_${name}`) ?? '')) return void response.end()
    const { authorization = '', 'content-type': type = 'text/plain' } = request.headers
    const headers = { authorization, 'content-type': type }
    const own = await fetch(`${origin}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      ...(body && { body }),
    })
    const code = own.headers.get('X-ClickHouse-Exception-Code')
    response.writeHead(own.status, code ? { 'X-ClickHouse-Exception-Code': code } : {})
    response.end(Buffer.from(await own.arrayBuffer()))
  })
})

afterAll(() => proxy?.close())

beforeEach(() => {
  storage = new AccessStorage()
})

test('create stores the policies, the quota and a user with the hash of the printed password', async () => {
  const tenant = await makeTenant()
  const user = userName(tenant, 'grafana')
  const { response, stderr } = await done('tenants', 'sql-user', 'create', '--tenant', tenant, '--name', 'grafana')
  expect(response).toMatchObject({
    user,
    password: expect.stringMatching(/^[\w-]{32}$/),
    url: `http://127.0.0.1:${proxy.port}/?database=default`,
    curl: expect.stringContaining(`curl --user '${user}' 'http://`),
    dbeaver: `jdbc:clickhouse:http://127.0.0.1:${proxy.port}/default`,
    grafana: { server: '127.0.0.1', port: proxy.port, secure: false, defaultDatabase: 'default', username: user },
  })
  expect(stderr).not.toContain(response.password)
  expect([...storage.policies.values()]).toEqual(rowPolicies)
  expect([...storage.hashes]).toEqual([[user, hash('sha256', response.password)]])
  expect({ granted: [...storage.granted], quotas: storage.quotas }).toEqual({ granted: [user], quotas: 1 })
  expect((await done('tenants', 'sql-user', 'list')).response).toEqual({
    users: [{ user, tenantId: tenant, name: 'grafana' }],
  })
  expect(await refused('tenants', 'sql-user', 'create', '--tenant', tenant, '--name', 'grafana')).toBe(
    `The user ${user} exists: use "rotate" for a new password, or another --name`,
  )
})

test('rotate replaces the password, remove removes the user, and neither changes another', async () => {
  const tenant = await makeTenant()
  const words = (command: string, name: string) => ['tenants', 'sql-user', command, '--tenant', tenant, '--name', name]
  for (const name of ['a', 'b']) await done(...words('create', name))
  const before = new Map(storage.hashes)
  const { password } = (await done(...words('rotate', 'a'))).response
  expect(storage.hashes.get(userName(tenant, 'a'))).toBe(hash('sha256', password))
  expect(before.get(userName(tenant, 'a'))).not.toBe(hash('sha256', password))
  expect(storage.hashes.get(userName(tenant, 'b'))).toBe(before.get(userName(tenant, 'b')))
  await done(...words('remove', 'a'))
  expect([...storage.hashes.keys()]).toEqual([userName(tenant, 'b')])
  for (const command of ['rotate', 'remove'])
    expect(await refused(...words(command, 'a'))).toMatch(/^There is no user /)
})

test('a create that is interrupted after any statement leaves no user without policies, and can be continued', async () => {
  const tenant = await makeTenant()
  const words = (command: string) => ['tenants', 'sql-user', command, '--tenant', tenant, '--name', 'a']
  const statements = rowPolicies.length + 3
  for (let left = 0; left < statements; left++) {
    storage = new AccessStorage()
    storage.left = left
    expect((await run(words('create'))).code).toBe(2)
    if (storage.hashes.size > 0 || storage.granted.size > 0) expect(storage.policies.size).toBe(rowPolicies.length)
    storage.left = Number.POSITIVE_INFINITY
    await done(...words(storage.hashes.size > 0 ? 'rotate' : 'create'))
    expect([storage.policies.size, storage.hashes.size, storage.granted.size]).toEqual([rowPolicies.length, 1, 1])
  }
})

test('no user is stored if a server loses a policy, and every server of a cluster has the policies before any user', async () => {
  const log: string[] = []
  const storages = [new AccessStorage(), new AccessStorage()]
  const nodes = storages.map((own, index) => ({
    use: (): Partial<Database> => ({
      read: async ({ name }) => (own.rowsOf(name) ?? []) as never[],
      async command(statement, { params = {} } = {}) {
        log.push(`${index} ${statement}`)
        own.run(statement, (name) => String(params[name]))
      },
    }),
  }))
  const servers = { cluster: { nodes, missing: [] } } as unknown as Parameters<typeof storeSqlUser>[0]
  await storeSqlUser(servers, userName(crypto.randomUUID(), 'a'))
  const at = (pattern: RegExp) => log.flatMap((line, index) => (pattern.test(line) ? [index] : []))
  expect(at(/POLICY/)).toHaveLength(2 * rowPolicies.length)
  expect(Math.max(...at(/POLICY/))).toBeLessThan(Math.min(...at(/USER|GRANT/)))
  const [, second] = storages
  second?.policies.set('default.reports', { database: 'default', table: 'reports', filter: '1' })
  const { run } = second as AccessStorage
  Object.assign(second as AccessStorage, {
    run: (statement: string, param: never) =>
      !statement.includes('default.reports ') && run.call(second, statement, param),
  })
  const before = log.length
  await expect(storeSqlUser(servers, userName(crypto.randomUUID(), 'b'))).rejects.toThrow(
    'ClickHouse lacks the row policies of default.reports',
  )
  expect(log.slice(before).filter((line) => /USER/.test(line))).toEqual([])
})

test('tenants delete removes the SQL users of the tenant', async () => {
  const [tenant, other] = [await makeTenant(), await makeTenant()]
  for (const id of [tenant, other]) await done('tenants', 'sql-user', 'create', '--tenant', id, '--name', 'a')
  const words = ['tenants', 'delete', '--tenant', tenant, '--confirm']
  await refused(...words, 'wrong')
  expect(storage.hashes.size).toBe(2)
  await done(...words, 'Zoë\'s "shop" 🛍 \\ ltd')
  expect([...storage.hashes.keys()]).toEqual([userName(other, 'a')])
})

test('doctor fails if a server with SQL users lacks a row policy, or shows keys of hidden rows', async () => {
  const tenant = await makeTenant()
  const line = async () => {
    const { stdout } = await cli(['doctor'], { environment: { CLICKHOUSE_URL: urlOf('default') } })
    return stdout.split('\n').find((text) => text.includes('sql-users:'))
  }
  expect(await line()).toBe('ok    sql-users: none')
  await done('tenants', 'sql-user', 'create', '--tenant', tenant, '--name', 'a')
  expect(await line()).toBe('ok    sql-users: 1 with row policies')
  storage.policies.delete('default.reports')
  expect(await line()).toMatch(
    /^FAIL {2}sql-users: ClickHouse lacks the row policies of default\.reports\. Fix: .*"tenants sql-user rotate"/,
  )
  storage.version = '26.7.2.1'
  expect(await line()).toMatch(/^FAIL {2}sql-users: ClickHouse 26\.7\.2\.1 shows keys .*\. Fix: upgrade ClickHouse, /)
})

test('servers that cannot store users, and invalid names, are refused in one line', async () => {
  const tenant = await makeTenant()
  const words = ['tenants', 'sql-user', 'create', '--tenant', tenant, '--name']
  expect(await refusedByEngine(...words, 'a')).toMatch(
    /^ClickHouse 26\.7\.2\.1 shows keys .*: upgrade it to 26\.7\.6 or newer$/,
  )
  for (const name of ['A', 'a`; DROP USER x', '', 'a-b']) {
    expect(await refused(...words, name)).toMatch(/^--name must be 1 to 32 lower-case letters, digits and underscores/)
  }
  const { code, stderr } = await cli([...words, 'a'], { environment: { CLICKHOUSE_PORT: '0' } })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      'The embedded engine cannot store users: set CLICKHOUSE_URL to a ClickHouse server, or read all tenants with "sql"\n',
  })
  const reader = inject('servers').readUrl
  const asReader = await cli([...words, 'a'], { environment: { CLICKHOUSE_URL: reader } })
  expect(asReader.stderr).toMatch(/^ClickHouse cannot store SQL users: give every server this release's [^\n]+\n$/)
})
