import { makeSiteToken } from '../../app/collector/site-address.ts'
import { importDemoRecords } from '../../app/demo/demo-records.ts'
import type { DemoTenant } from '../../fixtures/demo-tenants.ts'
import { randomReports } from '../../fixtures/reports.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../queries/sql/sql.ts'
import { dayMs } from '../../schema/durations.ts'
import { createTenantWriter, type TestKey } from './tenants.ts'

/** Rows of the tenant in every table that has a tenant but import_leases, which a table of a later migration must join. */
export async function fillEveryTable(database: Database, tenant: DemoTenant): Promise<TestKey> {
  const { id, name, plan } = tenant
  const store = createTenantWriter(database)
  const now = Date.now()
  const created = { created_at: toClickHouseTime(new Date(now)) }
  await insertRows(database, 'tenants', [{ id, name, plan, ...created }])
  const sites = tenant.sites.map((site) => ({ ...site, tenant_id: id, token: makeSiteToken(), ...created }))
  await insertRows(database, 'sites', sites)
  const window = { from: new Date(now - 5 * dayMs), to: new Date(now) }
  const siteIds = tenant.sites.map((site) => site.id)
  await store.insertReports(
    randomReports({ count: 1_000, seed: 1, tenantId: id, siteIds, ...window, retentionDays: 90 }),
  )
  await importDemoRecords(database, tenant, new Date(now))
  return store.createKey(id)
}
