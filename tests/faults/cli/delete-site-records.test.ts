import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scans } from '../../../app/import/records/types/scans.ts'
import { type DeleteSettings, deleteSite } from '../../../app/tenants/delete-tenant.ts'
import { listRollups } from '../../../clickhouse/rollups/list-rollups.ts'
import { demoScenarios } from '../../../fixtures/demo-scenarios.ts'
import type { DemoTenant } from '../../../fixtures/demo-tenants.ts'
import { completeScan, failedScan } from '../../../fixtures/scans.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../../queries/sql/sql.ts'
import { listOwnedTables, siteTies, tieSources } from '../../../queries/tenants/owned-tables.ts'
import { minuteMs } from '../../../schema/durations.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { fillEveryTable } from '../../support/fill-every-table.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import { createTenantWriter, type TenantWriter } from '../../support/tenants.ts'

const [tenant] = demoScenarios.map((scenario) => scenario.tenant) as [DemoTenant]
const tenantId = tenant.id
const at = new Date(Date.now() - minuteMs)

let database: TestDatabase
let store: TenantWriter

beforeAll(async () => {
  database = await createMigratedDatabase()
  store = createTenantWriter(database.writer)
  await fillEveryTable(database.writer, tenant)
})
afterAll(() => database?.drop())

/** Rows of each table, with a checksum, that hold one of the ids in any column, or none of them. */
async function rowsThatName(ids: readonly string[], isNamed = true): Promise<Record<string, unknown>> {
  const needles = `[${ids.map((id) => `'${id}'`).join(', ')}]`
  const found: Record<string, unknown> = {}
  for (const { table } of await database.writer.read(listOwnedTables)) {
    const where = `multiSearchAny(formatRow('TSV', *), ${needles}) = ${Number(isNamed)}`
    const sums = `SELECT count(), groupBitXor(cityHash64(*)) FROM ${table} WHERE ${where} SETTINGS final = 1`
    const [[rows, checksum] = []] = await queryRows(database.writer, sums)
    if (rows !== 0) found[table] = `${rows} rows, ${checksum}`
  }
  return found
}

const scanned = (pageId: string) => ({ id: randomUUID(), pageId, scannedAt: at.toISOString() })
const scanOf = (pageId: string) => failedScan(scanned(pageId))

/** A site with a page, a removed page and a page that only the history has, a scan of each, and alerts with attempts. */
async function createSite() {
  const { writer } = database
  const siteId = await store.createSite(tenantId, { name: 'Gone' })
  const pageIds = [randomUUID(), randomUUID(), randomUUID()] as const
  for (const id of pageIds) await store.insertMonitoredPage(tenantId, siteId, 'https://shop.test/', id)
  const ofPages = [completeScan(scanned(pageIds[0])), scanOf(pageIds[1]), scanOf(pageIds[2])]
  await store.importRecords(tenantId, scans, ofPages)
  const page = { tenant_id: tenantId, site_id: siteId, id: pageIds[1], kind: 'other', label: 'Gone', position: 0 }
  await insertRows(writer, 'monitored_pages', [{ ...page, pattern: '', scan_url: '', removed: true }])
  await writer.command(`ALTER TABLE monitored_pages DELETE WHERE id = '${pageIds[2]}' SETTINGS mutations_sync = 2`)
  const [own, digest] = [randomUUID(), randomUUID()]
  const alert = { tenant_id: tenantId, detected_at: toClickHouseTime(at) }
  await insertRows(writer, 'alerts', [
    { ...alert, id: own, kind: 'immediate', site_id: siteId },
    { ...alert, id: digest, kind: 'digest', site_ids: [siteId, tenant.sites[0]?.id] },
  ])
  const attempt = { tenant_id: tenantId, destination_id: 'dest-1', at: toClickHouseTime(at) }
  await insertRows(
    writer,
    'alert_attempts',
    [own, digest].map((id) => ({ ...attempt, alert_id: id })),
  )
  return { siteId, pageIds, ids: [siteId, ...pageIds, ...ofPages.map(({ id }) => id), own, digest] }
}

/** @param command what runs in place of each statement of the writer. */
function remove(
  siteId: string,
  confirm: string,
  { untilForgotten = async () => {} }: DeleteSettings = {},
  command: Database['command'] = database.writer.command,
) {
  const writer = { ...database.writer, command }
  return deleteSite({ writer, shards: () => [writer] }, tenantId, siteId, {
    confirm,
    settings: { untilForgotten },
    log: () => {},
  })
}

/** Steps of the deletion, in whose tokens its id is. */
const logs = ['import_log', 'import_log_by_time']

const tablesThatName = async (ids: readonly string[]) =>
  Object.keys(await rowsThatName(ids)).filter((table) => !logs.includes(table))

test('a deleted site leaves no row with an id of its pages, scans and alerts, and every other row as it was', async () => {
  const { siteId, ids } = await createSite()
  const named = await tablesThatName(ids)
  expect(named).toEqual(expect.arrayContaining(['page_scans', 'page_scans_history', 'alert_attempts', ...tieSources]))
  const others = await rowsThatName([...ids, 'deletion of'], false)
  const deleted = await remove(siteId, 'Gone')
  expect(deleted).toMatchObject({ page_scans: 3, page_scans_history: 3, monitored_pages_history: 4, alert_attempts: 2 })
  expect(await tablesThatName(ids)).toEqual([])
  const after = await rowsThatName([...ids, 'deletion of'], false)
  for (const each of [others, after]) delete each.import_leases
  expect(after).toEqual(others)
})

test.each(['page_scans', 'page_scans_history', 'alert_attempts', ...tieSources])(
  'a deletion that is cut off before %s is ended by another',
  async (table) => {
    const { siteId, ids } = await createSite()
    const cut = remove(siteId, 'Gone', {}, async (statement, options) => {
      if (statement.startsWith(`ALTER TABLE ${table} DELETE`)) throw new Error('cut off')
      await database.writer.command(statement, options)
    })
    await expect(cut).rejects.toThrow('cut off')
    expect(await tablesThatName(ids)).toContain(table)
    await remove(siteId, siteId)
    expect(await tablesThatName(ids)).toEqual([])
  },
)

test('a scan that a worker ends meanwhile is refused, and one that is stored meanwhile is deleted by another run', async () => {
  const { siteId, ids, pageIds } = await createSite()
  const { id, pageId } = scanned(pageIds[1])
  const untilForgotten = async () => {
    const stored = store.importRecords(tenantId, scans, [scanOf(pageIds[0])])
    await expect(stored).rejects.toThrow(`pageId: the tenant has no page ${pageIds[0]}`)
  }
  const first = remove(siteId, 'Gone', { untilForgotten }, async (statement, options) => {
    await database.writer.command(statement, options)
    if (!statement.startsWith('ALTER TABLE page_scans_history DELETE')) return
    const row = { tenant_id: tenantId, page_id: pageId, id, status: 'failed', scanned_at: toClickHouseTime(at) }
    await insertRows(database.writer, 'page_scans', [row])
  })
  await expect(first).rejects.toThrow(
    /^Rows were stored during the deletion, (1 in page_scans, )?1 in page_scans_history: run/,
  )
  await remove(siteId, siteId)
  expect(await tablesThatName([...ids, id])).toEqual([])
})

test('a table of tenants without a site_id is a rollup of reports, or in the list of what ties its rows to a site', async () => {
  const rollups = (await listRollups(database.writer)).map((rollup) => rollup.table)
  const without = (await database.writer.read(listOwnedTables)).filter(({ ofSites }) => !ofSites)
  const tables = without.map((owned) => owned.table).filter((table) => !rollups.includes(table))
  expect(tables.sort()).toEqual(Object.keys(siteTies))
})
