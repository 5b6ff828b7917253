import { z } from 'zod'
import { sitePageIds } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { rowJson, rowTexts } from '../sql/rows.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({
  enforced: z.string(),
  reportOnly: z.string(),
  /** References in the markup; absent in older scans and scans of other systems. */
  sources: rowJson(z.array(z.object({ directive: z.string(), source: z.string() })), '[]'),
  scriptUrls: rowTexts,
})

/** The latest complete scan with a 2xx status of each page of the site, newest first. */
export function listServedPages(tenantId: string, siteId: string): Query<z.infer<typeof row>> {
  const complete = sql`
    tenant_id = ${uuid(tenantId)} AND page_id IN ${sitePageIds({ tenantId, siteId })} AND status = 'complete'
      AND status_code >= 200 AND status_code < 300`
  return {
    name: 'listServedPages',
    statement: sql`
      SELECT headers['content-security-policy'] AS enforced,
        headers['content-security-policy-report-only'] AS reportOnly,
        JSONExtractRaw(result, 'sources') AS sources, arrayDistinct(script_urls) AS scriptUrls
      FROM page_scans FINAL
      WHERE ${complete} AND (page_id, scanned_at) IN (
        SELECT page_id, max(scanned_at)
        FROM page_scans FINAL
        WHERE ${complete}
        GROUP BY page_id)
      ORDER BY scanned_at DESC, toString(page_scans.id) DESC
      LIMIT 1 BY page_id`,
    row,
  }
}
