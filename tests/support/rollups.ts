import { randomReports } from '../../fixtures/reports.ts'
import { dayMs } from '../../schema/durations.ts'
import type { TestDatabase } from './database.ts'
import { createMigratedDatabase } from './migrated-database.ts'
import { createTenantWriter, type TenantWriter } from './tenants.ts'

/** A migrated database with reports of two tenants over the last 20 days, kept for 90. */
export interface FilledDatabase extends TestDatabase, TenantWriter {
  readonly tenantId: string
  readonly otherId: string
}

/** Makes one. */
export async function createFilledDatabase(): Promise<FilledDatabase> {
  const database = await createMigratedDatabase()
  const store = createTenantWriter(database.writer)
  const now = Date.now()
  const fill = async (seed: number) => {
    const tenantId = await store.createTenant()
    const siteIds = [await store.createSite(tenantId), await store.createSite(tenantId)]
    const window = { from: new Date(now - 20 * dayMs), to: new Date(now) }
    await store.insertReports(randomReports({ count: 800, seed, tenantId, siteIds, ...window, retentionDays: 90 }))
    return tenantId
  }
  return { ...database, ...store, tenantId: await fill(1), otherId: await fill(2) }
}
