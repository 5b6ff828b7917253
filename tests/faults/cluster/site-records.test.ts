import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { scans } from '../../../app/import/records/types/scans.ts'
import { deleteSite } from '../../../app/tenants/delete-tenant.ts'
import { insertNextRow } from '../../../app/tenants/insert-next-row.ts'
import { moveTenant } from '../../../app/tenants/move-tenant.ts'
import { type Cluster, openCluster } from '../../../clickhouse/cluster/open-cluster.ts'
import { requireShard } from '../../../clickhouse/cluster/tenant-shards.ts'
import { completeScan } from '../../../fixtures/scans.ts'
import { sql, text, uuid } from '../../../queries/sql/sql.ts'
import { makeTenant } from '../../support/cli-commands.ts'
import { withSharedDdl } from '../../support/cluster.ts'
import { queryRows } from '../../support/database.ts'
import { patience } from '../../support/patience.ts'
import { createTenantWriter, type TenantWriter } from '../../support/tenants.ts'

let cluster: Cluster
let store: TenantWriter

beforeAll(async () => {
  cluster = await openCluster(inject('servers').writeUrl, patience)
  store = createTenantWriter(cluster.client)
})
afterAll(() => cluster?.close())

const settled = { log: () => {}, untilSettled: async () => {} }
const alone = { untilForgotten: async () => {} }
const scannedAt = new Date(Date.now() - 60_000).toISOString()

/** A site with a scan of one page, of which there are two versions. */
async function createSite(tenantId: string, name: string) {
  const siteId = await store.createSite(tenantId, { name })
  const pageId = await store.insertMonitoredPage(tenantId, siteId, `https://${name}.test/`)
  const scan = completeScan({ id: randomUUID(), pageId, scannedAt })
  await store.importRecords(tenantId, scans, [scan])
  await store.importRecords(tenantId, scans, [{ ...scan, score: 1 }])
  const isPage = sql`tenant_id = ${uuid(tenantId)} AND id = ${uuid(pageId)}`
  await insertNextRow(cluster.client, 'monitored_pages', isPage, { label: text('Pay') })
  return { siteId, pageId }
}

const on = (shard: number, select: string) => queryRows(requireShard(cluster, shard).database, select)

/** Versions of each history of a shard, with a checksum. */
async function versionsOn(shard: number, tenantId: string) {
  const tables = await on(
    shard,
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%\\_history'",
  )
  const sums = tables.map(async ([table]) => {
    const select = `SELECT count(), groupBitXor(sipHash64(tuple(*))) FROM ${table} FINAL WHERE tenant_id = '${tenantId}'`
    return [table, (await on(shard, select))[0]] as const
  })
  return Object.fromEntries(await Promise.all(sums))
}

test('a move takes every version of records along, and its copies are no versions', async () => {
  const tenantId = await makeTenant('--shard', '1')
  const { siteId, pageId } = await createSite(tenantId, 'moved')
  // As the migration marks what it found.
  await cluster.client.command(`
    INSERT INTO monitored_pages_history (tenant_id, site_id, id, kind, updated_at)
    VALUES ('${tenantId}', '${siteId}', '${pageId}', 'payment', 0)`)
  const before = await versionsOn(1, tenantId)
  expect(before).toMatchObject({
    monitored_pages_history: [3, expect.anything()],
    page_scans_history: [2, expect.anything()],
  })
  await moveTenant(cluster, tenantId, 2, settled)
  expect(await versionsOn(2, tenantId)).toEqual(before)
  expect(await on(1, `SELECT count() FROM page_scans_history WHERE page_id = '${pageId}'`)).toEqual([[0]])
  await moveTenant(cluster, tenantId, 1, settled)
  expect(await versionsOn(1, tenantId)).toEqual(before)
})

test.each([1, 2])(
  'scans of a deleted site are deleted from shard %d, also by statements that run on every shard',
  async (shard) => {
    const tenantId = await makeTenant('--shard', String(shard))
    const [gone, other, stays] = [
      await createSite(tenantId, 'gone'),
      await createSite(tenantId, 'other'),
      await createSite(tenantId, 'stays'),
    ]
    const scansOf = ({ pageId }: { pageId: string }) =>
      on(
        shard,
        `SELECT (SELECT count() FROM page_scans FINAL WHERE page_id = '${pageId}'),
         (SELECT count() FROM page_scans_history FINAL WHERE page_id = '${pageId}'),
         (SELECT count() FROM monitored_pages_history FINAL WHERE id = '${pageId}')`,
      )
    expect(await scansOf(gone)).toEqual([[1, 2, 2]])
    const databases = {
      writer: cluster.client,
      shards: () => withSharedDdl(cluster).shards.map(({ database }) => database),
    }
    await deleteSite(databases, tenantId, gone.siteId, { confirm: 'gone', settings: alone, log: () => {} })
    expect(await scansOf(gone)).toEqual([[0, 0, 0]])
    await deleteSite(
      { writer: cluster.client, shards: () => cluster.shards.map(({ database }) => database) },
      tenantId,
      other.siteId,
      { confirm: 'other', settings: alone, log: () => {} },
    )
    expect(await scansOf(other)).toEqual([[0, 0, 0]])
    expect(await scansOf(stays)).toEqual([[1, 2, 2]])
  },
)

test('a move passes over tables of running rebuilds and deletions, and waits for a deletion that was cut off', async () => {
  const tenantId = await makeTenant('--shard', '1')
  const { siteId } = await createSite(tenantId, 'waiting')
  const { database } = requireShard(cluster, 1)
  const copy = `reports_retracted_${siteId.replaceAll('-', '')}`
  const second = Math.floor(Date.now() / 1000).toString(16)
  const work = [`monitored_pages_rebuild_${second}00000000`, `${copy}_unfinished`, `${copy}_keys`, copy]
  const move = () => moveTenant(cluster, tenantId, 2, settled)
  try {
    for (const table of work) {
      await database.command(`CREATE TABLE ${table} AS monitored_pages`)
      await database.command(`INSERT INTO ${table} SELECT * FROM monitored_pages WHERE tenant_id = '${tenantId}'`)
    }
    await expect(move()).rejects.toThrow(
      'was interrupted: run "sites delete" or "reports delete" again before the move',
    )
    await database.command(`DROP TABLE ${copy} SYNC`)
    expect(await move()).toMatchObject({ shard: 2, different: 0 })
  } finally {
    for (const table of work) await database.command(`DROP TABLE IF EXISTS ${table} SYNC`)
  }
})
