import { z } from 'zod'
import { byVolume } from '../groups/group-pages.ts'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { commonValue, groupTally, selectGroups } from '../groups/select-groups.ts'
import type { Tally } from '../rules/weights.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { type BrowserChangeFilter, browserChangeGroups } from './browser-change-groups.ts'

const row = z.object({ browser: z.string(), reportCount: rowCount, weight: rowBigSum })

/** Largest first; browser is '' where the user agent was unreadable. */
export function countChangesByBrowser(filter: BrowserChangeFilter): Query<Tally & { readonly browser: string }> {
  const { reportCount, weight } = groupTally
  const byBrowser = { ...browserChangeGroups(filter), key: () => sql`halfMD5(browser_name)` }
  const browser = commonValue(() => sql`toString(browser_name)`)
  const browsers = selectGroups(keyedSlices(byBrowser), { browser, reportCount, weight })
  return { name: 'countChangesByBrowser', statement: sql`${browsers} ORDER BY ${byVolume}`, row }
}
