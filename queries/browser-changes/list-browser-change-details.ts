import { z } from 'zod'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { distinctTexts, type Keyed, slicesOfGroups } from '../groups/select-groups.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { join, sql, uint } from '../sql/sql.ts'
import { type BrowserChangeFilter, browserChangeGroups } from './browser-change-groups.ts'

const row = z.object({
  key: rowBigSum,
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
      SELECT ${slice.key} AS group_key, ${slice.page} AS url, ${slice.reportCount} AS slice_reports,
        ${families.ofSlice(slice)} AS slice_browsers
      ${slice.from}
      GROUP BY group_key, url`,
  )
  const pages = sql`
    SELECT group_key, url, sum(slice_reports) AS page_reports,
      groupUniqArrayArray(slice_browsers) AS page_browsers
    FROM (${join(pagesBySlice, ' UNION ALL ')})
    GROUP BY group_key, url`
  const ranked = sql`arraySort(groupArrayIf((-toInt64(page_reports), url), url != ''))`
  const statement = sql`
    SELECT toString(group_key) AS key, countIf(url != '') AS pageCount,
      arrayMap(page -> page.2, arraySlice(${ranked}, 1, ${uint(maxTopPages)})) AS topPages,
      ${families.merged(sql`page_browsers`)} AS browsers
    FROM (${pages})
    GROUP BY group_key`
  return [{ name: 'listBrowserChangeDetails', statement, row }]
}
