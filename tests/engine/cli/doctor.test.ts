import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { leaseIds } from '../../../app/program/lease.ts'
import { sealDestination } from '../../../app/worker/alerts/deliver/destination.ts'
import { randomReports } from '../../../fixtures/reports.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../../queries/sql/sql.ts'
import { dayMs, minuteMs } from '../../../schema/durations.ts'
import { cli, startCli } from '../../support/cli.ts'
import { createDatabase, type TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { createTenantWriter } from '../../support/tenants.ts'

const names =
  'node settings clickhouse migrations users sql-users retention disk replicas quorums inserts imports parts redis clocks blocks destinations worker urls setup rollups'.split(
    ' ',
  )

let database: TestDatabase
let redis: TestRedis
let tenantId: string

beforeAll(async () => {
  ;[database, redis] = await Promise.all([createMigratedDatabase(), startRedis()])
  const store = createTenantWriter(database.writer)
  tenantId = await store.createTenant()
  const siteIds = [await store.createSite(tenantId)]
  const window = { from: new Date(Date.now() - dayMs), to: new Date() }
  await store.insertReports(randomReports({ count: 300, seed: 1, tenantId, siteIds, ...window, retentionDays: 30 }))
})

afterAll(async () => {
  await Promise.all([database?.drop(), redis?.stop()])
})

const environment = (more: Readonly<Record<string, string>> = {}) => ({
  CLICKHOUSE_URL: database.writeUrl,
  REDIS_URL: redis.url,
  ...more,
})

async function doctor(more: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await cli(['doctor'], { environment: environment(more) })
  expect(stderr).toBe('')
  return { code, lines: stdout.trimEnd().split('\n') }
}

/** Every check before `name` passes, that one fails with a fix, and none is behind it. */
async function expectFault(name: string, says: RegExp, more: Readonly<Record<string, string>> = {}) {
  const { code, lines } = await doctor(more)
  const at = names.indexOf(name)
  expect(lines.map((line) => line.replace(/:.*/, ''))).toEqual([
    ...names.slice(0, at).map((passed) => `ok    ${passed}`),
    `FAIL  ${name}`,
  ])
  expect(lines.at(-1)).toMatch(says)
  expect(lines.at(-1)).toMatch(/\. Fix: .{10}/)
  expect(code).toBe(1)
}

describe('doctor', () => {
  test('a sound installation passes, a line a check', async () => {
    const { code, lines } = await doctor()
    expect({ code, lines: lines.map((line) => line.replace(/:.*/, '')) }).toEqual({
      code: 0,
      lines: names.map((name) => `ok    ${name}`),
    })
    expect(lines.join('\n')).toMatch(/rollups: all [1-9]\d* days since yesterday agree/)
    expect(lines.join('\n')).toContain('writer can write')
    expect(lines.join('\n')).toContain('urls: 1 of 1 sites store URLs whole')
    expect(lines.join('\n')).toContain('setup: no site has been silent for 3 days, and scans found no wrong header')
  })

  test('--json prints one object, with the fix of the check that failed', async () => {
    const sound = await cli(['doctor', '--json'], { environment: environment() })
    const { ok, checks } = JSON.parse(sound.stdout)
    expect({ code: sound.code, ok, checks: checks.map((one: { check: string }) => one.check) }).toEqual({
      code: 0,
      ok: true,
      checks: names,
    })
    const failed = await cli(['doctor', '--json'], { environment: environment({ CLICKHOUSE_PORT: 'x' }) })
    expect({ code: failed.code, ...JSON.parse(failed.stdout) }).toMatchObject({
      code: 1,
      ok: false,
      checks: [
        { check: 'node', ok: true },
        { check: 'settings', ok: false, fix: expect.any(String) },
      ],
    })
  })

  test('the reader cannot write, and must be limited to the tenant of a request, as it is not in this database', async () => {
    const { code, lines } = await doctor({ CLICKHOUSE_URL: database.readUrl })
    const fault =
      'FAIL  users: ClickHouse does not limit the user reader to the tenant of each request. Fix: give ClickHouse'
    expect({ code, users: lines[4] }).toEqual({ code: 1, users: expect.stringContaining(fault) })
  })
})

test('doctor names the command for a silent site', async () => {
  const id = await createTenantWriter(database.writer).createSite(tenantId, { createdAt: Date.now() - 4 * dayMs })
  const { code, lines } = await doctor()
  expect({ code, line: lines.find((line) => line.includes(' setup: ')) }).toEqual({
    code: 0,
    line: expect.stringMatching(
      `^ok    setup: 1 sites sent no report for 3 days, and .* of 0 sites: run "sites status --tenant ${tenantId} --site ${id}"$`,
    ),
  })
})

test('doctor checks every user of the embedded engine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
  const environment = { DATA_DIR: folder, CLICKHOUSE_PORT: '0' }
  await cli(['migrate'], { environment })
  const { code, stdout } = await cli(['doctor'], { environment })
  expect({ code, users: stdout.split('\n')[4] }).toEqual({
    code: 0,
    users: 'ok    users: reader cannot write, analyst cannot write, writer can write',
  })
  expect(stdout).toContain('ok    inserts: no insert has run')
  expect(stdout).not.toContain('CLICKHOUSE_URL')
  rmSync(folder, { recursive: true })
})

describe('doctor names', () => {
  test('a DATA_DIR that cannot be one, and no CLICKHOUSE_URL to correct', async () => {
    const file = join(tmpdir(), `doctor-file-${process.pid}`)
    writeFileSync(file, '')
    const { code, stdout } = await cli(['doctor'], { environment: { DATA_DIR: file, CLICKHOUSE_PORT: '0' } })
    expect({ code, last: stdout.trimEnd().split('\n').at(-1) }).toEqual({
      code: 1,
      last: expect.stringMatching(/^FAIL {2}clickhouse: .* Fix: set DATA_DIR to a folder that this user can write/),
    })
    rmSync(file)
  })

  test('a wrong password, without quoting it', async () => {
    const url = new URL(database.writeUrl)
    url.password = 'wrong-password'
    await expectFault('clickhouse', /^(?!.*wrong-password).*rejects the user/, { CLICKHOUSE_URL: url.href })
  })

  test('a database that is not there', async () => {
    const url = new URL(database.writeUrl)
    url.pathname = '/forgotten'
    await expectFault('clickhouse', /has no database forgotten/, { CLICKHOUSE_URL: url.href })
  })

  test('a ClickHouse that is not there', async () => {
    await expectFault('clickhouse', /does not respond/, { CLICKHOUSE_URL: 'http://writer:x@127.0.0.1:9/default' })
  })

  test('a missing migration', async () => {
    const empty = await createDatabase()
    try {
      await expectFault('migrations', /lacks 0001_tenants, .*0015/, { CLICKHOUSE_URL: empty.writeUrl })
    } finally {
      await empty.drop()
    }
  })

  test('a table whose reports never expire', async () => {
    const ttl = "toDateTime(toDate(bucket), 'UTC') + toIntervalDay(retention_days + 1)"
    await database.writer.command('ALTER TABLE reports_per_day_by_value REMOVE TTL')
    try {
      await expectFault('retention', /never expire in reports_per_day_by_value\./)
    } finally {
      await database.writer.command(`ALTER TABLE reports_per_day_by_value MODIFY TTL ${ttl}`)
    }
    expect((await doctor()).code).toBe(0)
  })

  test('a Redis that is frozen, absent, or refuses the password', async () => {
    redis.freeze()
    try {
      await expectFault('redis', /does not respond: No response within 2000 ms/)
    } finally {
      redis.thaw()
    }
    await expectFault('redis', /127\.0\.0\.1:9 does not respond: 127.0.0.1:9 refuses connections/, {
      REDIS_URL: 'redis://127.0.0.1:9',
    })
    const locked = await startRedis('--requirepass', 'secret')
    await expectFault('redis', /does not respond: .*(NOAUTH|WRONGPASS)/, { REDIS_URL: locked.url })
    await locked.stop()
  })

  test.each([
    [-60_000, /clock of ClickHouse is \d{5} ms ahead of this machine's/],
    [60_000, /clock of ClickHouse is \d{5} ms behind this machine's/],
  ])('a clock that is %d ms off', async (offset, says) => {
    const code = `const now = Date.now; Date.now = () => now() + ${offset}`
    const shifted = `--import=data:text/javascript,${encodeURIComponent(code)}`
    const { ended } = startCli(['doctor'], { environment: environment({ NODE_OPTIONS: shifted }) })
    const { code: exitCode, stdout } = await ended
    expect({ exitCode, last: stdout.trimEnd().split('\n').at(-1) }).toEqual({
      exitCode: 1,
      last: expect.stringMatching(says),
    })
  })

  test('addresses of alerts that do not open, with what to copy', async () => {
    const [key, other] = [randomBytes(32), randomBytes(32)]
    const destination = { tenantId, id: 'dest-2', name: 'Chat', type: 'slack', address: 'https://a.test/' } as const
    await insertRows(database.writer, 'alert_destinations', [sealDestination(destination, [key]).row])
    const fault = new RegExp(
      `1 of 1 addresses cannot be decrypted, the first of dest-2 of tenant ${tenantId}.*copy secrets.key`,
    )
    await expectFault('destinations', fault, { SECRETS_KEY: other.toString('base64') })
    const open = await doctor({ SECRETS_KEY: key.toString('base64') })
    expect(open.lines).toContain('ok    destinations: all 1 addresses can be decrypted')
    expect((await doctor()).lines.join('\n')).toContain('destinations: not checked: SECRETS_KEY is not set')
  })

  test('a collector that is far behind, until it is not', async () => {
    const log = { id: tenantId, host: 'collector-1' }
    const oldest_at = toClickHouseTime(new Date(Date.now() - 20 * minuteMs))
    await insertRows(database.writer, 'collector_logs', [{ ...log, oldest_at }])
    await expectFault('blocks', /Reports of the last 20 minutes are waiting in the log of the collector on collector-1/)
    await insertRows(database.writer, 'collector_logs', [{ ...log, oldest_at: null }])
    expect((await doctor()).lines.join('\n')).toMatch(/ok {4}blocks/)
  })

  test('alert rules and no worker, until one runs', async () => {
    const own = { tenant_id: tenantId, id: 'dest-1' }
    const created = { created_at: '2026-01-31 12:00:00.000' }
    await insertRows(database.writer, 'alert_destinations', [{ ...own, name: 'On-call', type: 'webhook', ...created }])
    const rule = { ...own, event_type: 'csp.new_issue', kind: 'immediate', destination_id: 'dest-1', enabled: true }
    await insertRows(database.writer, 'alert_rules', [rule])
    await expectFault('worker', /no worker has run for 5 minutes, so 1 alert rules send nothing/)
    const lease = {
      tenant_id: leaseIds.alerts,
      generation: 1,
      id: tenantId,
      holder: 'process 7 on host',
      released: false,
    }
    await insertRows(database.writer, 'import_leases', [lease])
    expect((await doctor()).lines).toContain(
      'ok    worker: process 7 on host is running 1 alert rules; set PUBLIC_URL of the worker for links in messages',
    )
  })

  test('a rollup row that was changed', async () => {
    const extra = `INSERT INTO reports_by_time SELECT * FROM reports_by_time WHERE tenant_id = '${tenantId}' AND grain = 'hour' LIMIT 1`
    await database.writer.command(extra)
    await expectFault('rollups', new RegExp(`differ, the first in reports_by_time on .* of tenant ${tenantId}`))
  })
})
