import { mutationSettings } from '../../clickhouse/cluster/shared-ddl.ts'
import { logImportSteps } from '../../clickhouse/log-import-steps.ts'
import { isCopy, retractReports, type SiteReports } from '../../clickhouse/rollups/retract-reports.ts'
import { untilVersionsExpire } from '../../clickhouse/rollups/until-versions-expire.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { name, render, type Sql, sql, uuid } from '../../queries/sql/sql.ts'
import { ofSite } from '../../queries/tenants/owned-tables.ts'
import { type Databases, deleteRows } from './owned-rows.ts'

interface SiteRemoval {
  readonly tables: readonly string[]
  readonly databases: readonly Database[]
}

/** Deletes a site's rows of these tables. The tenant's responses are not cached during this, and earlier ones become stale. */
export async function removeSite(
  { writer, shards }: Databases,
  site: SiteReports,
  { tables, databases }: SiteRemoval,
): Promise<void> {
  const { tenantId, siteId } = site
  const logStep = (state: 'started' | 'done') => logImportSteps(writer)([tenantId], `deletion of ${siteId}`, state)
  // Repeated before each table, because a step counts for an hour.
  const onStep = () => logStep('started')
  await onStep()
  const { copy, finish } = await retractReports(shards(), site, onStep)
  const isRetracted = (table: string, where: Sql | undefined) =>
    where && table === 'reports' ? sql`${where} AND id IN (SELECT id FROM ${name(copy)})` : where
  await deleteRows(
    databases,
    (owned) => isRetracted(owned.table, ofSite(owned, site)),
    tables.filter((table) => !isCopy(table)),
  )
  await forgetInDigests(shards(), site)
  await finish()
  await logStep('done')
  await untilVersionsExpire()
}

async function forgetInDigests(shards: readonly Database[], { tenantId, siteId }: SiteReports): Promise<void> {
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
