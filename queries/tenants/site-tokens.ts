import { z } from 'zod'
import { planNames } from '../../schema/plans.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { sql, text, texts, uuids } from '../sql/sql.ts'
import { urlSettings } from './sites.ts'
import { rowOverrides } from './tenants.ts'

const siteTokenRow = z.object({ token: z.string() })

/** One row or none. It scans only the tokens, without FINAL and tenants, because anybody can guess tokens. */
export const findSiteToken = (token: string): Query<z.infer<typeof siteTokenRow>> => ({
  name: 'findSiteToken',
  statement: sql`SELECT token FROM sites WHERE token = ${text(token)} LIMIT 1`,
  row: siteTokenRow,
  pool: 'unknownToken',
})

const collectorSiteRow = z.object({
  id: z.string(),
  tenantId: z.string(),
  token: z.string(),
  hosts: z.array(z.string()),
  sampleRates: z.record(z.string(), z.number()),
  maxReportsPerMinute: rowCount,
  ...urlSettings,
  plan: z.enum(planNames),
  overrides: rowOverrides,
  shard: rowCount,
})

export type FoundSite = z.infer<typeof collectorSiteRow>

/** Sites of every tenant, because a report's URL names none. @param isCluster whether a tenant's shard is looked up. */
export const listCollectorSites = (isCluster: boolean): Query<FoundSite> => ({
  name: 'listCollectorSites',
  statement: sql`
    SELECT s.id AS id, s.tenant_id AS tenantId, s.token AS token, s.hosts AS hosts, s.sample_rates AS sampleRates,
      s.max_reports_per_minute AS maxReportsPerMinute, s.urls AS urls, s.kept_parameters AS keep,
      toString(t.plan) AS plan, t.overrides AS overrides,
      ${isCluster ? sql`dictGetOrDefault('tenant_place', 'shard', tuple(s.tenant_id), 1)` : sql`1`} AS shard
    FROM (SELECT * FROM sites FINAL) AS s
    INNER JOIN (SELECT * FROM tenants FINAL) AS t ON t.id = s.tenant_id`,
  row: collectorSiteRow,
  pool: 'lookup',
})

const stateRow = z.object({ state: z.string() })

/** State that changes with each change of a site or a tenant; without FINAL it reads counts and one column. */
export const findSitesState: Query<z.infer<typeof stateRow>> = {
  name: 'findSitesState',
  statement: sql`
    SELECT concat(toString((SELECT (count(), max(updated_at)) FROM sites)), ' ',
      toString((SELECT (count(), max(updated_at)) FROM tenants))) AS state`,
  row: stateRow,
  pool: 'lookup',
}

const refRow = z.object({ tenantId: z.string(), siteId: z.string() })

/** Sites that still exist. */
export const listPresentSites = (
  tenantIds: readonly string[],
  siteIds: readonly string[],
): Query<z.infer<typeof refRow>> => ({
  name: 'listPresentSites',
  statement: sql`
    SELECT DISTINCT toString(tenant_id) AS tenantId, toString(id) AS siteId
    FROM sites
    WHERE tenant_id IN ${uuids(tenantIds)} AND id IN ${uuids(siteIds)}`,
  row: refRow,
  pool: 'lookup',
})

const retiredTokenRow = z.object({ token_hash: z.string() })

/** One row or none; a token names no tenant. It uses the pool of guesses, because anybody can send any token. */
export const findRetiredToken = (tokenHash: string): Query<z.infer<typeof retiredTokenRow>> => ({
  name: 'findRetiredToken',
  statement: sql`
    SELECT token_hash
    FROM retired_tokens
    WHERE token_hash = ${text(tokenHash)}
    LIMIT 1`,
  row: retiredTokenRow,
  pool: 'unknownToken',
})

const retirementRow = z.object({ tokenHash: z.string(), retiredAt: rowTime })

/** Retired tokens with the time of their retirement; a token names no tenant. */
export const listRetiredTokens = (tokenHashes: readonly string[]): Query<z.infer<typeof retirementRow>> => ({
  name: 'listRetiredTokens',
  statement: sql`
    SELECT token_hash AS tokenHash, min(retired_at) AS retiredAt
    FROM retired_tokens
    WHERE token_hash IN ${texts(tokenHashes)}
    GROUP BY token_hash`,
  row: retirementRow,
  pool: 'lookup',
})
