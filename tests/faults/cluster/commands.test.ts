import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scans } from '../../../app/import/records/types/scans.ts'
import { deleteSite, deleteTenant } from '../../../app/tenants/delete-tenant.ts'
import { moveTenant, removeRows } from '../../../app/tenants/move-tenant.ts'
import { listDuePages } from '../../../app/worker/scans/list-due-pages.ts'
import type { Shard } from '../../../clickhouse/cluster/open-cluster.ts'
import { shardOfTenant } from '../../../clickhouse/cluster/tenant-shards.ts'
import { checkEveryShard } from '../../../clickhouse/rollups/check-every-shard.ts'
import { rebuildRollups } from '../../../clickhouse/rollups/rebuild-rollups.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { completeScan, sending } from '../../../fixtures/scans.ts'
import { insertAlert } from '../../../queries/alerts/alerts.ts'
import type { StatementOptions } from '../../../queries/clickhouse/database.ts'
import { render } from '../../../queries/sql/sql.ts'
import { dayMs, minuteMs } from '../../../schema/durations.ts'
import { createAlertWorld } from '../../support/alert-world.ts'
import { startApi } from '../../support/api.ts'
import { commandsOn } from '../../support/cli-commands.ts'
import { startCluster, type TestCluster, withSharedDdl } from '../../support/cluster.ts'
import { queryRows } from '../../support/database.ts'
import { createFilledSite } from '../../support/filled-site.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let own: TestCluster
/** A deletion waits for no API and no collector. */
const alone = { untilForgotten: async () => {} }
const { run, done, refused, makeTenant } = commandsOn(() => own.writeUrl, alone)

/** A tenant with reports on each shard, which no test moves or deletes. */
let filled: readonly [string, string]

beforeAll(async () => {
  own = await startCluster()
  filled = [await createFilledTenant(1), await createFilledTenant(2)]
})
afterAll(() => own?.end())

async function createFilledTenant(shard: number): Promise<string> {
  const id = await makeTenant('--shard', String(shard))
  await createFilledSite(createTenantWriter(own.cluster.client), id, 300)
  return id
}

async function reportsOn(shard: number, tenantId: string): Promise<number> {
  const database = own.shardDatabase(shard)
  const [[count] = []] = await queryRows(database, `SELECT count() FROM reports WHERE tenant_id = '${tenantId}'`)
  return Number(count)
}

describe('a new tenant', () => {
  test('lies on the shard with the fewest tenants where none is named', async () => {
    const shards = []
    // One lies on each already.
    for (let made = 0; made < 4; made++) shards.push(await shardOfTenant(own.cluster, await makeTenant()))
    expect(shards).toEqual([1, 2, 1, 2])
  })

  test.each([1, 2])('lies on the shard %d that is asked for, whole, from its first report on', async (shard) => {
    const id = filled[shard - 1] ?? ''
    expect(await reportsOn(shard, id)).toBe(300)
    expect(await reportsOn(3 - shard, id)).toBe(0)
    const { response } = await done('tenants', 'place', '--tenant', id)
    expect(response).toMatchObject({ id, shard, rows: { [3 - shard]: 0 } })
    expect(response.rows[shard]).toBeGreaterThan(300)
  })

  test('is refused on a shard that is not there', async () => {
    const words = ['tenants', 'create', '--name', 'x', '--plan', 'free', '--shard', '3']
    expect(await refused(...words)).toBe('There is no shard 3; the shards are 1, 2')
  })
})

test('a page of a tenant on the second shard is due, scanned and removed', async () => {
  const tenantId = await makeTenant('--shard', '2')
  const siteId = await createTenantWriter(own.cluster.client).createSite(tenantId)
  const site = ['--tenant', tenantId, '--site', siteId]
  const { id } = (await done('pages', 'add', ...site, '--url', 'http://router.lan/')).response
  const due = async () =>
    (await listDuePages(own.cluster.client, () => dayMs)).filter((page) => page.tenantId === tenantId)
  expect(await due()).toMatchObject([{ id, dueAt: 0 }])
  const { stdout } = await run(['pages', 'scan', '--tenant', tenantId, '--page', id])
  expect(JSON.parse(stdout)).toMatchObject({ pageId: id, failureReason: 'not_allowed' })
  expect(await due()).toEqual([])
  const list = async () => (await done('pages', 'list', ...site)).response.pages
  expect(await list()).toMatchObject([{ id, latestScan: { consecutiveFailures: 1 } }])
  await done('pages', 'remove', '--tenant', tenantId, '--page', id)
  expect(await list()).toEqual([])
})

test('a change of a tenant on either shard is one alert, delivered and then not sent again, also by a worker that was frozen', async () => {
  const { client } = own.cluster
  const world = await createAlertWorld({}, { readUrl: own.readUrl, writeUrl: own.writeUrl, writer: client })
  // A rule of a destination that is left needs a worker, as doctor says.
  const removeDestination = ({ tenantId, destinationId }: { tenantId: string; destinationId: string }) =>
    done('destinations', 'remove', '--tenant', tenantId, '--destination', destinationId)
  try {
    const shops = new Map<number, Awaited<ReturnType<typeof world.createShop>>>()
    while (shops.size < 2) {
      const shop = await world.createShop()
      const shard = await shardOfTenant(own.cluster, shop.tenantId)
      if (shops.has(shard)) await removeDestination(shop)
      else shops.set(shard, shop)
    }
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * minuteMs).toISOString()
    for (const { tenantId, pageId } of shops.values()) {
      await createTenantWriter(client).importRecords(tenantId, scans, [
        completeScan({ id: randomUUID(), pageId, scannedAt: minutesAgo(9) }),
        completeScan({
          id: randomUUID(),
          pageId,
          scannedAt: minutesAgo(8),
          headers: sending({ 'x-frame-options': 'deny' }),
        }),
      ])
    }
    const paths = [...shops.values()].map(({ pageId }) => `/in/${pageId}`)
    expect((await world.pass()).map(({ path }) => path).sort()).toEqual(paths.sort())
    expect(await world.pass()).toEqual([])
    for (const [shard, { tenantId, destinationId }] of shops) {
      expect((await world.deliveriesOf(tenantId)).map(([, , , outcome]) => outcome)).toEqual(['delivered'])
      const ofTenant = `FROM alerts WHERE tenant_id = '${tenantId}'`
      const [[subject] = []] = await queryRows(client, `SELECT subjects[1] ${ofTenant}`)
      const again = {
        tenantId,
        id: randomUUID(),
        kind: 'immediate',
        eventType: 'page.headers_changed',
        siteId: null,
      } as const
      const rest = { siteIds: [], summary: '', payload: '', occurredAt: new Date(), destinations: ['x'], digestTo: [] }
      const { text, params } = render(
        insertAlert({ ...again, ...rest, subjects: ['other', String(subject)], detectedAt: new Date() }),
      )
      await client.command(text, { params })
      expect(await queryRows(own.shardDatabase(shard), `SELECT count() ${ofTenant}`)).toEqual([[1]])
      await removeDestination({ tenantId, destinationId })
    }
  } finally {
    await world.close()
  }
})

test('a key is accepted by every node, and refused by every node once it is revoked', async () => {
  const tenantId = await makeTenant()
  const makeKey = async () => (await done('keys', 'create', '--tenant', tenantId, '--name', 'Dashboard')).response
  const [good, revoked] = [await makeKey(), await makeKey()]
  await done('keys', 'revoke', '--id', revoked.id)
  for (const { port } of own.engines) {
    const api = await startApi({ ...own, readUrl: own.readUrl.replace(/@.+\//, `@127.0.0.1:${port}/`) })
    expect(await api.get('/v1/me', { key: good })).toMatchObject({ status: 200 })
    expect(await api.get('/v1/me', { key: revoked })).toMatchObject({ status: 401 })
    await api.close()
  }
})

test.each([1, 2])('a request of a tenant on shard %d is explained with its indexes', async (shard) => {
  const id = filled[shard - 1] ?? ''
  const { code, stdout } = await run(['explain', '--tenant', id, '--analyze', '/v1/reports/count?directive=img-src'])
  expect(code).toBe(0)
  expect(stdout).toContain(`-- shard ${shard}\n`)
  const comment = 'Reports by type, value of one low-cardinality dimension, and hour'
  expect(stdout).toContain(`-- reports_per_hour_by_cube_value: ${comment}\n`)
  expect(stdout).toMatch(/-- .*ReadFromMergeTree/)
  expect(stdout).toMatch(/-- PrimaryKey/)
})

test('rollups of every shard are checked, and rebuilt', async () => {
  const { response: before } = await done('rollups', 'check')
  expect(before).toMatchObject({ different: 0 })
  for (const shard of [1, 2]) await own.shardDatabase(shard).command('TRUNCATE TABLE reports_per_day_by_issue')
  for (const id of filled) expect((await run(['rollups', 'check', '--tenant', id])).code).toBe(1)
  expect((await run(['rollups', 'check'])).code).toBe(1)
  const rebuild = await done('rollups', 'rebuild', '--table', 'reports_per_day_by_issue')
  expect(rebuild.response).toMatchObject({ different: 0 })
})

test('a tenant is deleted from its shard', async () => {
  const id = await createFilledTenant(2)
  const { response } = await done('tenants', 'delete', '--tenant', id, '--confirm', 'Zoë\'s "shop" 🛍 \\ ltd')
  expect(response.deleted).toMatchObject({ reports: 300 })
  expect(await reportsOn(2, id)).toBe(0)
})

test('a site is deleted from its shard, and from the rollups there', async () => {
  const id = await makeTenant('--shard', '2')
  const writer = createTenantWriter(own.cluster.client)
  await createFilledSite(writer, id, 100)
  const siteId = await writer.createSite(id, { name: 'Gone' })
  const receivedAt = Date.now() - dayMs
  await writer.insertReports([1, 2].map((line) => aReport({ tenantId: id, siteId, receivedAt, lineNumber: line })))
  await done('sites', 'delete', '--tenant', id, '--site', siteId, '--confirm', 'Gone')
  expect(await reportsOn(2, id)).toBe(100)
  expect((await done('rollups', 'check', '--tenant', id)).response).toMatchObject({ different: 0 })
})

test('reports are deleted by a filter from their shard, and from the rollups there', async () => {
  const id = await makeTenant('--shard', '2')
  await createFilledSite(createTenantWriter(own.cluster.client), id, 100)
  const words = ['reports', 'delete', '--tenant', id, '--browser-name-not', 'Firefox']
  const { reports } = (await done(...words)).response
  const deleted = Object.values(reports as Record<string, number>).reduce((all, one) => all + one, 0)
  expect(deleted).toBeGreaterThan(0)
  expect(await reportsOn(2, id)).toBe(100 - deleted)
  expect((await done('rollups', 'check', '--tenant', id)).response).toMatchObject({ different: 0 })
  const { deletions } = (await done('reports', 'deletions', '--tenant', id)).response
  expect(deletions).toMatchObject([{ reports, finishedAt: expect.any(String) }])
})

test('a script is forgotten on its shard, and kept there for reports of earlier times', async () => {
  const id = await makeTenant('--shard', '2')
  const writer = createTenantWriter(own.cluster.client)
  const siteId = await writer.createSite(id)
  const url = 'https://forged.example.test/x.js'
  await writer.insertReports([aReport({ tenantId: id, siteId, reportType: 'csp-hash', scriptUrl: url })])
  const words = ['scripts', 'forget', '--tenant', id, '--site', siteId, '--url', url]
  const { response } = await done(...words, '--by', 'ada@example.com', '--reason', 'Forged')
  expect(response).toEqual({ url, versions: 1 })
  const on = async (shard: number) => {
    const count = (table: string) => `SELECT count() FROM ${table} WHERE tenant_id = '${id}'`
    const tables = ['script_versions', 'script_versions_forgotten'].map(count)
    return queryRows(own.shardDatabase(shard), tables.join(' UNION ALL '))
  }
  expect((await on(2)).flat().map(Number).sort()).toEqual([0, 1])
  expect((await on(1)).flat().map(Number)).toEqual([0, 0])
})

describe('where a statement of one shard runs on every shard', () => {
  test('a site is retracted from the rollups of its shard', async () => {
    const id = await makeTenant('--shard', '1')
    const writer = createTenantWriter(own.cluster.client)
    await createFilledSite(writer, id, 100)
    const siteId = await writer.createSite(id)
    await writer.insertReports([aReport({ tenantId: id, siteId, receivedAt: Date.now() - dayMs })])
    const databases = {
      writer: own.cluster.client,
      shards: () => withSharedDdl(own.cluster).shards.map((one) => one.database),
    }
    await deleteSite(databases, id, siteId, { confirm: 'Test site', settings: alone, log: () => {} })
    expect(await reportsOn(1, id)).toBe(100)
    expect((await done('rollups', 'check', '--tenant', id)).response).toMatchObject({ different: 0 })
  })

  test('a move removes rows from the old shard alone', async () => {
    const id = await createFilledTenant(1)
    await moveTenant(withSharedDdl(own.cluster), id, 2, { log: () => {}, untilSettled: async () => {} })
    expect([await reportsOn(1, id), await reportsOn(2, id)]).toEqual([0, 300])
  })

  test('a tenant’s deletion is one statement a table, on its own shard', async () => {
    const id = await createFilledTenant(2)
    const sent: string[] = []
    const databases = {
      writer: own.cluster.client,
      shards: () =>
        withSharedDdl(own.cluster).shards.map(({ number, database }) => ({
          ...database,
          command(statement: string, options?: StatementOptions) {
            const [, table] = /^ALTER TABLE (\w+) DELETE/.exec(statement) ?? []
            if (table !== undefined) sent.push(`${number} ${table}`)
            return database.command(statement, options)
          },
        })),
    }
    const confirm = 'Zoë\'s "shop" 🛍 \\ ltd'
    const deleted = await deleteTenant(databases, id, { confirm, settings: alone, log: () => {} })
    expect(deleted).toMatchObject({ reports: 300 })
    expect(sent).toContain('2 reports')
    expect(sent.filter((statement) => statement.startsWith('1 '))).toEqual([])
    expect(new Set(sent).size).toBe(sent.length)
    expect(await reportsOn(2, id)).toBe(0)
  })

  test('a deletion renames parts of other shards, and rewrites none', async () => {
    const [id, other] = [await createFilledTenant(1), filled[1]]
    expect(await reportsOn(2, other)).toBe(300)
    const parts = async () => {
      const found = await queryRows(
        own.shardDatabase(2),
        "SELECT name, path FROM system.parts WHERE active AND database = currentDatabase() AND table = 'reports' ORDER BY name",
      )
      // A part that was not rewritten has the same files, by hard links.
      return found.map(([name, path]) => ({ name, file: statSync(join(String(path), 'data.bin')).ino }))
    }
    await own.shardDatabase(2).command('OPTIMIZE TABLE reports FINAL')
    const before = await parts()
    const [shard] = withSharedDdl(own.cluster).shards
    await removeRows(shard as Shard, id, () => {})
    expect(await reportsOn(1, id)).toBe(0)
    const after = await parts()
    expect(after.map(({ name }) => name)).not.toEqual(before.map(({ name }) => name))
    expect(after.map(({ file }) => file)).toEqual(before.map(({ file }) => file))
  })

  test('a rebuild fills the rollups of every shard, and of a month that one shard has', async () => {
    const writer = createTenantWriter(own.cluster.client)
    const tenantId = await makeTenant('--shard', '1', '--retention-days', '365')
    const siteId = await writer.createSite(tenantId)
    const receivedAt = Date.now() - 100 * dayMs
    await writer.insertReports([aReport({ tenantId, siteId, receivedAt, retentionDays: 365 })])
    const shards = withSharedDdl(own.cluster).shards.map(({ database }) => database)
    const table = 'reports_per_day_by_issue'
    for (const shard of shards) await shard.command(`TRUNCATE TABLE ${table}`)
    expect((await checkEveryShard(shards)).different).toBeGreaterThan(2)
    await rebuildRollups(shards, { tables: [table] })
    expect(await checkEveryShard(shards)).toMatchObject({ different: 0 })
  })
})

test('a plan of moves has none for shards of about the same size, and is of every byte', async () => {
  const { response } = await done('tenants', 'balance', '--plan')
  expect(response.shards.map(({ shard }: { shard: number }) => shard)).toEqual([1, 2])
  for (const { bytes } of response.shards) expect(bytes).toBeGreaterThan(1_000)
  for (const { id, from, to } of response.moves) {
    expect(await shardOfTenant(own.cluster, id)).toBe(from)
    expect([from, to].sort()).toEqual([1, 2])
  }
  expect(await refused('tenants', 'balance')).toMatch(/required option '--plan' not specified/)
})

test('doctor looks at every node', async () => {
  const { stdout } = await run(['doctor', '--json'])
  const response = JSON.parse(stdout)
  expect(response.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([])
  expect(response.ok).toBe(true)
  const foundBy = (check: string) => response.checks.find((one: { check: string }) => one.check === check).found
  // The nodes here have no replicated tables.
  expect(foundBy('replicas')).toBe('2 servers have 0 replicated tables each, and no replica is behind')
  expect(foundBy('quorums')).toBe(
    'inserts return once 1 of the 1 replicas of the shard have them, and no insert is late',
  )
  expect(foundBy('inserts')).toBe('no insert has run for over 60 s')
  const found = JSON.stringify(response.checks)
  for (const { origin } of own.cluster.nodes) expect(found).toContain(`26.7.2.1 at ${origin}`)
})
