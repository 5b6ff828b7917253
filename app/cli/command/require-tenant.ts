/** @module Lookups of a command's tenant and sites that throw if there is none. */

import type { Database } from '../../../queries/clickhouse/database.ts'
import { listSites, type Site } from '../../../queries/tenants/sites.ts'
import { findTenant, type Tenant } from '../../../queries/tenants/tenants.ts'
import type { Context } from './context.ts'

/** The requested record is not stored. */
export class NotStored extends Error {}

/** Throws NotStored. */
export async function requireTenant(database: Database, id: string): Promise<Tenant> {
  const [tenant] = await database.read(findTenant(id))
  if (!tenant) throw new NotStored(`There is no tenant ${id}`)
  return tenant
}

/** The tenant's sites. Throws if `siteId` is not one of them. */
export async function requireSites(database: Database, tenantId: string, siteId: string | undefined): Promise<Site[]> {
  const sites = await database.read(listSites(tenantId))
  if (siteId !== undefined && !sites.some(({ id }) => id === siteId)) {
    throw new Error(`The tenant has no site ${siteId}`)
  }
  return sites
}

/** The database. Throws NotStored without the tenant. */
export async function openTenant(context: Context, id: string) {
  const access = await context.database()
  return { ...access, tenant: await requireTenant(access.reader, id) }
}

/** The database and the tenant's sites. Throws if `siteId` is not one of them. */
export async function openSite(context: Context, tenantId: string, siteId: string) {
  const access = await context.database()
  return { ...access, sites: await requireSites(access.reader, tenantId, siteId) }
}
