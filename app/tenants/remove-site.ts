import { mutationSettings } from '../../clickhouse/cluster/shared-ddl.ts'
import { logImportSteps } from '../../clickhouse/log-import-steps.ts'
import { purgeHiddenRows } from '../../clickhouse/rollups/removal-tables.ts'
import { isCopy, removeReports } from '../../clickhouse/rollups/remove-reports.ts'
import { untilVersionsExpire } from '../../clickhouse/rollups/until-versions-expire.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { SiteRef } from '../../queries/pages/payment-pages.ts'
import { render, sql, uuid } from '../../queries/sql/sql.ts'
import { ofSite } from '../../queries/tenants/owned-tables.ts'
import { type Databases, deleteRows } from './owned-rows.ts'

interface SiteRemoval {
  readonly tables: readonly string[]
  readonly databases: readonly Database[]
}

/** Deletes a site's rows of these tables. The tenant's responses are not cached during this, and earlier ones become stale. */
export async function removeSite(
  { writer, shards }: Databases,
  site: SiteRef,
  { tables, databases }: SiteRemoval,
): Promise<void> {
  const { tenantId, siteId } = site
  const logStep = (state: 'started' | 'done') => logImportSteps(writer)([tenantId], `deletion of ${siteId}`, state)
  // Repeated before each table, because a step counts for an hour.
  const onStep = () => logStep('started')
  await onStep()
  const where = sql`tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)}`
  await removeReports(shards(), { tenantId, id: siteId, where, onStep })
  for (const shard of shards()) await purgeHiddenRows(shard)
  await deleteRows(
    databases,
    (owned) => ofSite(owned, site),
    tables.filter((table) => table !== 'reports' && !isCopy(table)),
  )
  await forgetInDigests(shards(), site)
  await logStep('done')
  await untilVersionsExpire()
}

async function forgetInDigests(shards: readonly Database[], { tenantId, siteId }: SiteRef): Promise<void> {
  const hasSite = sql`tenant_id = ${uuid(tenantId)} AND has(site_ids, ${uuid(siteId)})`
  const statements = [
    sql`
      ALTER TABLE alert_deliveries UPDATE site_ids = arrayFilter(id -> id != ${uuid(siteId)}, site_ids)
      WHERE ${hasSite}`,
    // Its text names the site; its delivery remains.
    sql`ALTER TABLE alerts DELETE WHERE ${hasSite}`,
  ]
  for (const { text, params } of statements.map(render)) {
    for (const shard of shards) await shard.command(text, { params, settings: mutationSettings })
  }
}
