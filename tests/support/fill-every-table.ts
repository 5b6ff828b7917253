import { randomUUID } from 'node:crypto'
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
  await insertAlerts(database, id, siteIds, now)
  const deletion = { tenant_id: id, id: randomUUID(), filters: ['page'], counts: { crash: 1 } }
  await insertRows(database, 'report_deletions', [
    { ...deletion, part_ids: [], started_at: toClickHouseTime(new Date(now)) },
  ])
  const forgotten = { tenant_id: id, site_id: siteIds[0], script_url: 'https://forged.test/a.js', script_hash: '' }
  const seen = { first_seen_at: toClickHouseTime(new Date(now)), last_seen_at: toClickHouseTime(new Date(now)) }
  await insertRows(database, 'script_versions_forgotten', [
    { ...forgotten, ...seen, forgotten_at: toClickHouseTime(new Date(now)) },
  ])
  return store.createKey(id)
}

async function insertAlerts(database: Database, tenantId: string, siteIds: readonly string[], now: number) {
  const [alertId, at] = [randomUUID(), toClickHouseTime(new Date(now))]
  const own = { tenant_id: tenantId, destination_id: 'dest-1' }
  const alert = { tenant_id: tenantId, event_type: '', summary: 'Two', detected_at: at }
  await insertRows(database, 'alerts', [
    { ...alert, id: alertId, kind: 'immediate', site_id: siteIds[0], destinations: ['dest-1'] },
    { ...alert, id: randomUUID(), kind: 'digest', site_ids: siteIds, destinations: ['dest-1'] },
  ])
  await insertRows(database, 'alert_acknowledgements', [
    { tenant_id: tenantId, site_id: siteIds[0], delivery_id: 'delivery-1', id: randomUUID(), acknowledged_by: 'Ada' },
  ])
  await insertRows(database, 'alert_attempts', [{ ...own, alert_id: alertId, at, failure: 'timeout' }])
  await insertRows(database, 'alert_destinations', [
    { tenant_id: tenantId, id: 'dest-1', name: 'On-call', type: 'webhook', sealed: 'x', created_at: at },
  ])
}
