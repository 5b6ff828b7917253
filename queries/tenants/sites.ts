import { z } from 'zod'
import { urlModes } from '../../schema/enumerations.ts'
import type { SiteRef } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { sql, uint, uuid, uuids } from '../sql/sql.ts'

/** Rule 79. */
export const urlSettings = { urls: z.enum(urlModes), keep: z.array(z.string()) }

/** Hosts are lower case; `*.example.com` is every subdomain. */
const siteRow = z.object({
  id: z.string(),
  name: z.string(),
  hosts: z.array(z.string()),
  token: z.string(),
  sampleRates: z.record(z.string(), z.number()),
  /** 0 for the plan's. */
  maxReportsPerMinute: rowCount,
  ...urlSettings,
  createdAt: rowTime,
})

export type Site = z.infer<typeof siteRow>

export function listSites(tenantId: string): Query<Site> {
  return {
    name: 'listSites',
    statement: sql`
      SELECT id, name, hosts, token, sample_rates AS sampleRates,
        max_reports_per_minute AS maxReportsPerMinute, urls, kept_parameters AS keep, created_at AS createdAt
      FROM sites FINAL
      WHERE tenant_id = ${uuid(tenantId)}
      ORDER BY createdAt, id`,
    row: siteRow,
  }
}

const foundSiteRow = z.object({ id: z.string(), name: z.string() })

/** Ids that belong to the tenant's sites. */
export function findSites(tenantId: string, siteIds: readonly string[]): Query<z.infer<typeof foundSiteRow>> {
  return {
    name: 'findSites',
    statement: sql`SELECT id, name FROM sites FINAL WHERE tenant_id = ${uuid(tenantId)} AND id IN ${uuids(siteIds)}`,
    row: foundSiteRow,
    pool: 'lookup',
  }
}

const siteHostRow = z.object({ hosts: z.array(z.string()) })

/** Hosts are lower case; `*.example.com` is every subdomain. */
export function findSiteHosts(tenantId: string, siteId: string): Query<z.infer<typeof siteHostRow>> {
  return {
    name: 'findSiteHosts',
    statement: sql`SELECT hosts FROM sites FINAL WHERE tenant_id = ${uuid(tenantId)} AND id = ${uuid(siteId)}`,
    row: siteHostRow,
    pool: 'lookup',
  }
}

const newestSiteRow = z.object({ tenantId: z.string(), siteId: z.string(), createdAt: rowTime })

/** Newest sites of all tenants, for metrics. */
export function listNewestSites(limit: number): Query<z.infer<typeof newestSiteRow>> {
  return {
    name: 'listNewestSites',
    statement: sql`
      SELECT tenant_id AS tenantId, id AS siteId, created_at AS createdAt
      FROM sites FINAL
      ORDER BY createdAt DESC, siteId
      LIMIT ${uint(limit)}`,
    row: newestSiteRow,
    pool: 'lookup',
    everyTenant: true,
  }
}

const recordedSiteRow = z.object({ name: z.string(), createdAt: rowTime })

/** One row or none. */
export const findRecordedSite = ({ tenantId, siteId }: SiteRef): Query<z.infer<typeof recordedSiteRow>> => ({
  name: 'findRecordedSite',
  statement: sql`
    SELECT name, created_at AS createdAt
    FROM sites FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND id = ${uuid(siteId)}`,
  row: recordedSiteRow,
  pool: 'lookup',
})

const urlModesRow = z.object({ sites: rowCount, whole: rowCount })

/** Sites of all tenants, and how many of them store URLs whole. */
export const countUrlModes: Query<z.infer<typeof urlModesRow>> = {
  name: 'countUrlModes',
  statement: sql`SELECT count() AS sites, countIf(urls = 'whole') AS whole FROM sites FINAL`,
  row: urlModesRow,
  pool: 'lookup',
}
