import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { at, sql, uint, uuids } from '../sql/sql.ts'

const row = z.object({
  tenantId: z.string(),
  siteId: z.string(),
  url: z.string(),
  hash: z.string(),
  /** With its query; '' where it is the URL. */
  requestUrl: z.string(),
})

export type UncapturedVersion = z.infer<typeof row>

/** Of a read; the rest follows in the next. */
const [versionsOfSite, versionsOfAll] = [200, 2_000]

/** Hashes of scripts that browsers have reported since, and no attempt was made to keep a copy of; the first seen first. */
export const listUncapturedVersions = (tenantIds: readonly string[], since: Date): Query<UncapturedVersion> => ({
  name: 'listUncapturedVersions',
  statement: sql`
    SELECT v.tenant_id AS tenantId, v.site_id AS siteId, v.script_url AS url, v.script_hash AS hash,
      v.request_url AS requestUrl
    FROM (
      SELECT tenant_id, site_id, script_url, script_hash, min(first_seen_at) AS first_at,
        max(latest_request).2 AS request_url
      FROM script_versions
      WHERE tenant_id IN ${uuids(tenantIds)} AND script_hash != '' AND last_seen_at >= ${at(since)}
      GROUP BY tenant_id, site_id, script_url, script_hash
    ) AS v
    INNER JOIN (
      SELECT tenant_id, id
      FROM sites FINAL
      WHERE tenant_id IN ${uuids(tenantIds)}
    ) AS site ON site.tenant_id = v.tenant_id AND site.id = v.site_id
    LEFT ANTI JOIN (
      SELECT tenant_id, site_id, script_url, script_hash
      FROM script_captures FINAL
      WHERE tenant_id IN ${uuids(tenantIds)}
    ) AS c ON c.tenant_id = v.tenant_id AND c.site_id = v.site_id AND c.script_url = v.script_url
      AND c.script_hash = v.script_hash
    ORDER BY v.first_at, url, hash
    LIMIT ${uint(versionsOfSite)} BY tenantId, siteId
    LIMIT ${uint(versionsOfAll)}`,
  row,
  pool: 'maintenance',
})
