import { z } from 'zod'
import { reportTypeNames, reportTypeRows } from '../../schema/report-types.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { ofReportTypes } from '../groups/keyed-slices.ts'
import { groupSlices } from '../rollups/group-slices.ts'
import type { Query } from '../sql/query.ts'
import { join, sql, uint } from '../sql/sql.ts'

const row = z.object({ url: z.string() })

const ownPageTypes = reportTypeNames.filter((type) => !reportTypeRows[type].foreignPage)

/** The site's http(s) pages with most reports, without their queries; ties by URL. */
export function listBusyPages(
  tenantId: string,
  siteId: string,
  { window, limit }: { readonly window: TimeRange; readonly limit: number },
): Query<z.infer<typeof row>> {
  const conditions = ofReportTypes({ siteId, reportTypes: ownPageTypes })
  const slices = groupSlices('reports_per_day_by_page', { tenantId, window }, conditions).map(
    ({ from, page, reportCount }) => sql`SELECT ${page} AS url, ${reportCount} AS reports ${from} GROUP BY url`,
  )
  return {
    name: 'listBusyPages',
    statement: sql`
      SELECT url
      FROM (${join(slices, ' UNION ALL ')})
      WHERE match(url, '^(?i)https?://.')
      GROUP BY url
      ORDER BY sum(reports) DESC, url
      LIMIT ${uint(limit)}`,
    row,
  }
}
