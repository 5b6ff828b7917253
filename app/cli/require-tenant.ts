import type { Database } from '../../queries/clickhouse/client.ts'
import { findTenant, type Tenant } from '../../queries/tenants/find-tenant.ts'
import { listSites, type Site } from '../../queries/tenants/list-sites.ts'

/** The tenant of an id. Throws an Error of one line when there is none. */
export async function requireTenant(database: Database, id: string): Promise<Tenant> {
  const [tenant] = await database.read(findTenant(id))
  if (!tenant) throw new Error(`There is no tenant ${id}`)
  return tenant
}

/** A tenant's sites. Throws an Error of one line when one is named and is not among them. */
export async function requireSites(database: Database, tenantId: string, siteId: string | undefined): Promise<Site[]> {
  const sites = await database.read(listSites(tenantId))
  if (siteId !== undefined && !sites.some(({ id }) => id === siteId)) {
    throw new Error(`The tenant has no site ${siteId}`)
  }
  return sites
}
