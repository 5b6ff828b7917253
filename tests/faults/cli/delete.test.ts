import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CommandSettings } from '../../../app/cli/command/context.ts'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { withLease } from '../../../app/program/lease.ts'
import { collectorTokenPrefix, logImportSteps } from '../../../clickhouse/log-import-steps.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { demoScenarios } from '../../../fixtures/demo-scenarios.ts'
import type { DemoTenant } from '../../../fixtures/demo-tenants.ts'
import { forgottenMs } from '../../../schema/durations.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { cli, startCli } from '../../support/cli.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { fillEveryTable } from '../../support/fill-every-table.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import { createTenantWriter, type TestKey } from '../../support/tenants.ts'

const folder = mkdtempSync(join(tmpdir(), 'delete-'))
const [shop, other] = demoScenarios.map(({ tenant }) => tenant) as [DemoTenant, DemoTenant]
const crash = (url: string) => ({ type: 'crash', age: 1, url, body: { reason: 'oom' } })
let database: TestDatabase
let api: TestApi
let collector: TestCollector
let keys: readonly TestKey[]

beforeAll(async () => {
  database = await createMigratedDatabase()
  api = await startApi({ ...database, keyTtlMs: 300, siteTtlMs: 300 })
  keys = [await fillEveryTable(database.writer, shop), await fillEveryTable(database.writer, other)]
  collector = await startTestCollector({ CLICKHOUSE_URL: database.writeUrl }, { siteTtlMs: 300 })
})

afterAll(async () => {
  await Promise.all([api?.close(), collector?.close()])
  await database?.drop()
  rmSync(folder, { recursive: true })
})

const environment = () => ({ CLICKHOUSE_URL: database.writeUrl })
const run = (...words: string[]) => runUntil(async () => {}, ...words)

/** A deletion goes on after `untilForgotten`. */
const runUntil = (untilForgotten: NonNullable<CommandSettings['untilForgotten']>, ...words: string[]) =>
  cli(words, { environment: environment(), settings: { untilForgotten } })

async function refused(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...words)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  return stderr.trimEnd()
}

/** Tables with a tenant, by the catalogue. */
async function ownedTables(): Promise<[table: string, column: string][]> {
  const rows = await queryRows(
    database.writer,
    `SELECT table, name FROM system.columns
     WHERE database = currentDatabase() AND (name = 'tenant_id' OR table = 'tenants' AND name = 'id')
       AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')`,
  )
  return rows as [string, string][]
}

const countOf = async (table: string, where: string) =>
  Number((await queryRows(database.writer, `SELECT count() FROM ${table} WHERE ${where}`))[0]?.[0])

/** With `final`, so that a merge changes nothing. */
async function checksumOf(table: string, where: string) {
  const sums = 'count(), groupBitXor(cityHash64(*))'
  return (await queryRows(database.writer, `SELECT ${sums} FROM ${table} WHERE ${where} SETTINGS final = 1`))[0]
}

async function checksums(where: (column: string) => string) {
  const tables = await ownedTables()
  const sums = await Promise.all(
    tables.map(async ([table, column]) => [table, await checksumOf(table, where(column))] as const),
  )
  return Object.fromEntries(sums)
}

/** Tables with rows of the tenant. */
async function countsOf(tenantId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [table, column] of await ownedTables()) {
    const rows = await countOf(table, `${column} = '${tenantId}'`)
    if (rows > 0) counts[table] = rows
  }
  return counts
}

const status = async (path: string, key: (typeof keys)[number] | undefined) => (await api.get(path, { key })).status
const postTo = async (token: string, url: string) => (await collector.post(token, [crash(url)])).status

async function siteWithReport(tenantId: string, name: string, host: string) {
  const token = makeSiteToken()
  const id = await api.createSite(tenantId, { name, hosts: [host], token })
  expect(await postTo(token, `https://${host}/`)).toBe(204)
  return { id, token }
}

const reportsOf = (siteId: string) => countOf('reports', `site_id = '${siteId}'`)

test('a deletion is refused with another name, and while an import of the tenant runs', async () => {
  const words = ['tenants', 'delete', '--tenant', shop.id, '--confirm']
  const before = await checksums(() => 'true')
  expect(await refused(...words, 'Shop')).toBe(
    `--confirm must be ${JSON.stringify(shop.name)} to delete this tenant, not "Shop"`,
  )
  await withLease({ database: database.writer, leaseId: shop.id, kind: 'import', onWait: () => {} }, async () => {
    expect(await refused(...words, shop.name)).toContain(`Stop the import by process ${process.pid}`)
  })
  const { import_leases: _, ...after } = await checksums(() => 'true')
  expect(after).toEqual(Object.fromEntries(Object.entries(before).filter(([table]) => table !== 'import_leases')))
  const unknown = crypto.randomUUID()
  expect(await refused('tenants', 'delete', '--tenant', unknown, '--confirm', 'A')).toBe(
    `There is no tenant ${unknown}`,
  )
})

test('a deleted site is 404 once it is forgotten, its reports are gone, and the other sites keep theirs', async () => {
  const { id, token } = await siteWithReport(other.id, 'Gone', 'gone.test')
  const kept = await siteWithReport(other.id, 'Kept', 'kept.test')
  const narrowed = await api.createKey(other.id, { siteId: id })
  const path = `/v1/reports?reportType=crash&siteId=${id}`
  const read = async () => (await api.get(path, { key: keys[1] })).body
  expect((await read()).data).toHaveLength(1)
  const words = ['sites', 'delete', '--tenant', other.id, '--site', id, '--confirm']
  expect(await refused(...words, 'Kept')).toContain('--confirm must be "Gone" to delete this site')
  async function untilForgotten() {
    await expect.poll(() => status(path, keys[1])).toBe(404)
    await expect.poll(() => status('/v1/me', narrowed)).toBe(401)
    await expect.poll(() => postTo(token, 'https://gone.test/')).toBe(410)
  }
  const { code, stdout, stderr } = await runUntil(untilForgotten, ...words, 'Gone')
  expect(stderr).not.toContain('rebuild')
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, id, deleted: { sites: 1, api_keys: 1, reports: 1 } })
  expect([await reportsOf(id), await reportsOf(kept.id)]).toEqual([0, 1])
  expect(await checkRollups(database.writer, { tenantId: other.id })).toMatchObject({ different: 0 })
  expect(await refused(...words, 'Gone')).toBe(`There is no site ${id}`)
})

test('a deleted tenant has no row left, and every row of others is as it was', async () => {
  const { token } = await siteWithReport(shop.id, 'Followed', 'followed.test')
  const path = join(folder, 'followed.ndjson')
  const line = (number: number) => `${JSON.stringify([crash(`https://followed.test/${number}`)])}\n`
  writeFileSync(path, line(1))
  const follower = startCli(['import', 'reports', '--tenant', shop.id, '--follow', path], {
    environment: environment(),
  })
  await expect.poll(() => countOf('reports', "document_host = 'followed.test'")).toBe(2)
  expect(await status('/v1/me', keys[0])).toBe(200)

  const others = (column: string) => `${column} != '${shop.id}'`
  const before = await checksums(others)
  const rows = await countsOf(shop.id)
  const { api_keys, tenants } = rows
  expect({ api_keys, tenants }).toEqual({ api_keys: 1, tenants: 1 })
  // Every table with a tenant has rows of this one: a table that is not deleted from would be found.
  expect(Object.keys(rows).sort()).toEqual(Object.keys(before).sort())

  const waits: number[] = []
  async function untilForgotten(milliseconds: number) {
    waits.push(milliseconds)
    expect(await countOf('api_keys', `tenant_id = '${shop.id}'`)).toBe(0)
    await Promise.all([
      expect.poll(() => status('/v1/me', keys[0]), { interval: 100 }).toBe(401),
      expect.poll(() => postTo(token, 'https://followed.test/'), { interval: 100 }).toBe(410),
      expect(refused('import', 'reports', '--tenant', shop.id, path)).resolves.toMatch(
        /The tenant has no site yet|is being deleted/,
      ),
    ])
  }
  const words = ['tenants', 'delete', '--tenant', shop.id, '--confirm', shop.name]
  const { code, stdout, stderr } = await runUntil(untilForgotten, ...words)
  expect(waits).toEqual([forgottenMs])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const { id, deleted } = JSON.parse(stdout)
  expect({ id, tables: Object.keys(deleted).sort() }).toEqual({ id: shop.id, tables: Object.keys(rows).sort() })
  expect(deleted).toMatchObject({ page_scans: rows.page_scans, script_decisions: rows.script_decisions, tenants: 1 })
  expect(await countsOf(shop.id)).toEqual({})

  // The followed file goes on: its import ends, and writes nothing.
  appendFileSync(path, line(2))
  const ended = await follower.ended
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(/There is no tenant|is being deleted/)
  expect(await countsOf(shop.id)).toEqual({})
  // The hold of collectors is of no tenant.
  const { import_leases: _, ...after } = await checksums(others)
  expect(after).toEqual(Object.fromEntries(Object.entries(before).filter(([table]) => table !== 'import_leases')))
  expect(await status('/v1/me', keys[1])).toBe(200)
})

test('a deletion waits for a block that a collector is sending', async () => {
  const id = await createTenantWriter(database.writer).createTenant({ name: 'Sending' })
  const logSteps = logImportSteps(database.writer)
  const token = `${collectorTokenPrefix}a`
  await logSteps([id], token, 'started')
  let sent: Promise<void> | undefined
  async function sendBlock(): Promise<void> {
    // Rows of a block come after the deletion of those of before, and before its wait is over.
    await sleep(1_000)
    await database.writer.command(rowOf(id))
    await logSteps([id], token, 'done')
  }
  async function untilForgotten() {
    sent = sendBlock()
  }
  const words = ['tenants', 'delete', '--tenant', id, '--confirm', 'Sending']
  const { code, stderr } = await runUntil(untilForgotten, ...words)
  await sent
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Waiting for blocks') })
  expect(await countsOf(id)).toEqual({})
})

const rowOf = (tenantId: string) => `
  INSERT INTO reports (tenant_id, site_id, report_type, received_at, id, retention_days)
  VALUES ('${tenantId}', generateUUIDv4(), 'crash', now64(3), generateUUIDv4(), 30)`

test('rows that a killed collector sends later are deleted by the id', async () => {
  await database.writer.command(rowOf(shop.id))
  expect(await countsOf(shop.id)).not.toEqual({})
  const words = ['tenants', 'delete', '--tenant', shop.id, '--confirm']
  expect(await refused(...words, shop.name)).toContain(`--confirm must be "${shop.id}"`)
  expect(await run(...words, shop.id)).toMatchObject({ code: 0 })
  expect(await countsOf(shop.id)).toEqual({})
})
