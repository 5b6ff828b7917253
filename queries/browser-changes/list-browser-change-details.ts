import { z } from 'zod'
import { browserChangeTypeNames } from '../../schema/report-types.ts'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { distinctTexts, type Keyed, slicesOfGroups } from '../groups/select-groups.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { join, sql, uint } from '../sql/sql.ts'
import { type BrowserChangeFilter, browserChangeGroups } from './browser-change-groups.ts'

const row = z.object({
  key: rowBigSum,
  reportType: z.enum(browserChangeTypeNames),
  feature: z.string(),
  sourceFile: z.string().nullable(),
  pageCount: rowCount,
  topPages: z.array(z.string()),
  browsers: z.array(z.string()),
})

/** Rule 48. */
const maxTopPages = 3

const families = distinctTexts(() => sql`groupUniqArray(toString(browser_name))`)

/** Pages with most reports first, ties by URL; an unknown page does not count. */
export function listBrowserChangeDetails(
  filter: BrowserChangeFilter,
  entries: readonly Keyed[],
): Query<z.infer<typeof row>>[] {
  if (entries.length === 0) return []
  const pagesBySlice = slicesOfGroups(keyedSlices(browserChangeGroups(filter)), entries).map(
    (slice) => sql`
      SELECT ${slice.key} AS group_key, ${slice.page} AS url, any(toString(report_type)) AS slice_type,
        any(toString(feature)) AS slice_feature, any(source_file) AS slice_file, ${slice.reportCount} AS slice_reports,
        ${families.ofSlice(slice)} AS slice_browsers
      ${slice.from}
      GROUP BY group_key, url`,
  )
  const pages = sql`
    SELECT group_key, url, any(slice_type) AS page_type, any(slice_feature) AS page_feature,
      any(slice_file) AS page_file, sum(slice_reports) AS page_reports,
      groupUniqArrayArray(slice_browsers) AS page_browsers
    FROM (${join(pagesBySlice, ' UNION ALL ')})
    GROUP BY group_key, url`
  const ranked = sql`arraySort(groupArrayIf((-toInt64(page_reports), url), url != ''))`
  const statement = sql`
    SELECT toString(group_key) AS key, any(page_type) AS reportType, any(page_feature) AS feature,
      nullIf(any(page_file), '') AS sourceFile, countIf(url != '') AS pageCount,
      arrayMap(page -> page.2, arraySlice(${ranked}, 1, ${uint(maxTopPages)})) AS topPages,
      ${families.merged(sql`page_browsers`)} AS browsers
    FROM (${pages})
    GROUP BY group_key`
  return [{ name: 'listBrowserChangeDetails', statement, row }]
}
