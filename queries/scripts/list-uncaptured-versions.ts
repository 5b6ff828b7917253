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

/** Short, as a set of a million texts takes seconds. */
const version = sql`sipHash128(tenant_id, site_id, script_url, script_hash)`

/** Hashes of scripts that browsers have reported since, and no attempt was made to keep a copy of; the first seen first. */
export const listUncapturedVersions = (tenantIds: readonly string[], since: Date): Query<UncapturedVersion> => ({
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
        FROM script_captures
        WHERE tenant_id IN ${uuids(tenantIds)}
      )
    GROUP BY tenantId, siteId, url, hash
    ORDER BY min(first_seen_at), url, hash
    LIMIT ${uint(versionsOfSite)} BY tenantId, siteId
    LIMIT ${uint(versionsOfAll)}`,
  row,
  pool: 'maintenance',
})
