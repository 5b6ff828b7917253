import { z } from 'zod'
import type { FilterTerm } from '../../schema/report-filter.ts'
import type { Tally } from '../../schema/rules/weights.ts'
import { rawTime } from '../rollups/columns.ts'
import { countSlices } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { join, sql } from '../sql/sql.ts'
import type { BrowserChangeFilter } from './browser-changes.ts'

const row = z.object({ browser: z.string(), reportCount: rowCount, weight: rowBigSum })

/** Largest first; browser is '' if the user agent was unreadable. Uses rollups of browsers, not of entries. */
export function countChangesByBrowser(filter: BrowserChangeFilter): Query<Tally & { readonly browser: string }> {
  const { tenantId, window, siteId, reportTypes: reportType } = filter
  const terms: FilterTerm[] = siteId === undefined ? [] : [{ dimension: 'siteId', operator: 'any', values: [siteId] }]
  const slices = countSlices({ tenantId, reportType, terms, groupBy: ['browserName'], windows: [window] })
  const browsers = slices.map(
    ({ from, column, measure }) => sql`
      SELECT toString(${column('browserName')}) AS browser, ${measure.reportCount()} AS counted, ${measure.weight} AS weighed
      ${from}
      GROUP BY browser`,
  )
  return {
    name: 'countChangesByBrowser',
    statement: sql`
      SELECT browser, sum(counted) AS reportCount, toString(sum(weighed)) AS weight
      FROM (${join(browsers, ' UNION ALL ')})
      GROUP BY browser
      ORDER BY sum(weighed) DESC, halfMD5(browser)`,
    row,
    fewRows: slices.some(({ time, fewRows }) => time !== rawTime && fewRows),
  }
}
