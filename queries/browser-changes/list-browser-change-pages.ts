import { z } from 'zod'
import { distinctOf, groupKeyOf, withKeys } from '../groups/groups-of.ts'
import type { Query } from '../query.ts'
import { rowBigSum, rowCount } from '../rows.ts'
import { join, sql, uint } from '../sql.ts'
import { type BrowserChangeQuestion, browserChangeKey, browserChangeParts } from './browser-changes.ts'
import type { BrowserChangeEntry } from './list-browser-changes.ts'

const row = z.object({
  key: rowBigSum,
  pageCount: rowCount,
  topPages: z.array(z.string()),
  browsers: z.array(z.string()),
})

/** Pages an entry names (contract, Browser-change entry). */
const mostNamed = 3

const families = distinctOf(() => sql`groupUniqArray(toString(browser_name))`)

/**
 * The pages and browser families of some browser changes, by their keys; the pages with most reports first, ties by the
 * page. An unknown page is no page. No query where there are no entries.
 */
export function listBrowserChangePages(
  question: BrowserChangeQuestion,
  entries: readonly Pick<BrowserChangeEntry, 'key'>[],
): Query<z.infer<typeof row>>[] {
  if (entries.length === 0) return []
  const keys = entries.map(({ key }) => key)
  const parts = withKeys(browserChangeParts(question), browserChangeKey, keys).map(
    (part) =>
      sql`SELECT ${groupKeyOf(browserChangeKey(part))} AS group_key, ${part.page} AS url, ${part.reportCount} AS reports, ${families.ofPart(part)} AS browsers_of ${part.from} GROUP BY group_key, url`,
  )
  const pages = sql`SELECT group_key, url, sum(reports) AS reports_of, groupUniqArrayArray(browsers_of) AS families_of FROM (${join(parts, ' UNION ALL ')}) GROUP BY group_key, url`
  const ranked = sql`arraySort(groupArrayIf((-toInt64(reports_of), url), url != ''))`
  const statement = sql`SELECT toString(group_key) AS key, countIf(url != '') AS pageCount, arrayMap(page -> page.2, arraySlice(${ranked}, 1, ${uint(mostNamed)})) AS topPages, ${families.whole(sql`families_of`)} AS browsers FROM (${pages}) GROUP BY group_key`
  return [{ name: 'listBrowserChangePages', statement, row }]
}
