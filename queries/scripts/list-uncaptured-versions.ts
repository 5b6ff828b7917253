import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { at, empty, type Sql, sql, uint, uuid, uuids } from '../sql/sql.ts'

const row = z.object({
  tenantId: z.string(),
  siteId: z.string(),
  url: z.string(),
  hash: z.string(),
  /** URL with its query; '' if it has none. */
  requestUrl: z.string(),
})

export type UncapturedVersion = z.infer<typeof row>

/** Limits of a read; the next read returns the rest. */
const [versionsOfSite, versionsOfAll] = [200, 2_000]

/** Short, because a set of a million texts takes seconds. */
const version = sql`sipHash128(tenant_id, site_id, script_url, script_hash)`

/** Versions whose bytes a scan of the site found; matching only the script would allow any hash. */
const ofScanned = (
  tenantIds: readonly string[],
  siteId: string,
): Sql => sql` AND site_id = ${uuid(siteId)} AND (script_url, script_hash) IN (
        SELECT script.1, script.2
        FROM page_scans
        ARRAY JOIN arrayZip(script_urls, script_hashes) AS script
        WHERE tenant_id IN ${uuids(tenantIds)} AND page_id IN (
          SELECT id
          FROM monitored_pages FINAL
          WHERE tenant_id IN ${uuids(tenantIds)} AND site_id = ${uuid(siteId)}))`

/**
 * Hashes of reported scripts without an attempt to store a copy, or without one since an earlier day's fetches were used up. The first seen of each site come first.
 * @param scannedOf only of this site, of one tenant, with bytes that a scan found.
 */
export const listUncapturedVersions = (
  tenantIds: readonly string[],
  since: Date,
  scannedOf?: string,
): Query<UncapturedVersion> => ({
  name: 'listUncapturedVersions',
  statement: sql`
    SELECT tenant_id AS tenantId, site_id AS siteId, script_url AS url, script_hash AS hash,
      max(latest_request).2 AS requestUrl
    FROM script_versions
    WHERE tenant_id IN ${uuids(tenantIds)} AND script_hash != '' AND last_seen_at >= ${at(since)}
      AND (tenant_id, site_id) IN (
        SELECT tenant_id, id
        FROM sites FINAL
        WHERE tenant_id IN ${uuids(tenantIds)}
      )
      AND ${version} NOT IN (
        SELECT ${version}
        FROM script_captures FINAL
        WHERE tenant_id IN ${uuids(tenantIds)} AND NOT (reason = 'daily_cap' AND updated_at < toStartOfDay(now('UTC')))
      )${scannedOf === undefined ? empty : ofScanned(tenantIds, scannedOf)}
    GROUP BY tenantId, siteId, url, hash
    ORDER BY row_number() OVER (PARTITION BY tenantId, siteId ORDER BY min(first_seen_at), url, hash), url, hash
    LIMIT ${uint(versionsOfSite)} BY tenantId, siteId
    LIMIT ${uint(versionsOfAll)}`,
  row,
  pool: 'maintenance',
})
