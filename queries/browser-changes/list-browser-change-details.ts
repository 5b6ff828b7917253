import { z } from 'zod'
import { browserChangeTypeNames } from '../../schema/report-types.ts'
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

/** Pages an entry names (contract, Browser-change entry). */
const mostNamed = 3

const families = distinctTexts(() => sql`groupUniqArray(toString(browser_name))`)

/**
 * What some browser changes are, and their pages and browser families; the pages with most reports first, ties by the
 * page. An unknown page is no page. No query where there are no entries.
 */
export function listBrowserChangeDetails(
  filter: BrowserChangeFilter,
  entries: readonly Keyed[],
): Query<z.infer<typeof row>>[] {
  if (entries.length === 0) return []
  const pagesBySlice = slicesOfGroups(browserChangeGroups.slices(filter), entries).map(
    (slice) =>
      sql`SELECT ${slice.key} AS group_key, ${slice.page} AS url, any(toString(report_type)) AS type_of, any(toString(feature)) AS feature_of, any(source_file) AS file_of, ${slice.reportCount} AS reports, ${families.ofSlice(slice)} AS browsers_of ${slice.from} GROUP BY group_key, url`,
  )
  const pages = sql`SELECT group_key, url, any(type_of) AS entry_type, any(feature_of) AS entry_feature, any(file_of) AS entry_file, sum(reports) AS reports_of, groupUniqArrayArray(browsers_of) AS families_of FROM (${join(pagesBySlice, ' UNION ALL ')}) GROUP BY group_key, url`
  const ranked = sql`arraySort(groupArrayIf((-toInt64(reports_of), url), url != ''))`
  const statement = sql`SELECT toString(group_key) AS key, any(entry_type) AS reportType, any(entry_feature) AS feature, nullIf(any(entry_file), '') AS sourceFile, countIf(url != '') AS pageCount, arrayMap(page -> page.2, arraySlice(${ranked}, 1, ${uint(mostNamed)})) AS topPages, ${families.merged(sql`families_of`)} AS browsers FROM (${pages}) GROUP BY group_key`
  return [{ name: 'listBrowserChangeDetails', statement, row }]
}
