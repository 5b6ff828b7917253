import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({ host: z.string() })

/** Hosts of a site, `*.example.com` among them, and of the scripts that scans of its pages found. */
export const listScriptHosts = (tenantId: string, siteId: string): Query<z.infer<typeof row>> => ({
  name: 'listScriptHosts',
  statement: sql`
    SELECT DISTINCT host
    FROM (
      SELECT arrayJoin(hosts) AS host
      FROM sites FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND id = ${uuid(siteId)}
      UNION ALL
      SELECT domain(arrayJoin(script_urls)) AS host
      FROM page_scans FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND page_id IN (
        SELECT id
        FROM monitored_pages FINAL
        WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)}
      )
    )
    WHERE host != ''`,
  row,
})
