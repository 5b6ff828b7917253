import { z } from 'zod'
import type { SiteRef } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { sql, text } from '../sql/sql.ts'
import { ofSite } from '../tenants/owned-tables.ts'

/** `id` is the script's hash for a report. */
const witnessRow = z.object({ kind: z.enum(['scan', 'decision', 'report']), id: z.string() })

/** Complete scans of any page of the site and decisions with the script, and a row per hash that browsers reported. */
export function listWitnesses({ url, ...site }: SiteRef & { readonly url: string }): Query<z.infer<typeof witnessRow>> {
  const own = (table: string, ofSites: boolean) => ofSite({ table, ofSites }, site) ?? sql`false`
  return {
    name: 'listWitnesses',
    statement: sql`
      SELECT 'decision' AS kind, toString(id) AS id
      FROM script_decisions FINAL
      WHERE ${own('script_decisions', true)} AND script_url = ${text(url)}
      UNION ALL
      SELECT 'scan' AS kind, toString(id) AS id
      FROM page_scans FINAL
      WHERE ${own('page_scans', false)} AND status = 'complete' AND has(script_urls, ${text(url)})
      UNION ALL
      SELECT DISTINCT 'report' AS kind, script_hash AS id
      FROM script_versions
      WHERE ${own('script_versions', true)} AND script_url = ${text(url)}`,
    row: witnessRow,
  }
}
