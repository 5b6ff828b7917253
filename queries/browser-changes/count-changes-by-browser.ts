import { z } from 'zod'
import { commonValue, groupsOf, groupTally } from '../groups/select-groups.ts'
import { byVolume } from '../groups/largest-first.ts'
import type { Tally } from '../rules/weights.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { type BrowserChangeFilter, browserChangeGroups } from './browser-change-groups.ts'

const row = z.object({ browser: z.string(), reportCount: rowCount, weight: rowBigSum })

/** A window's browser changes by browser family, the largest first; '' where the user agent was unreadable. */
export function countChangesByBrowser(filter: BrowserChangeFilter): Query<Tally & { readonly browser: string }> {
  const { reportCount, weight } = groupTally
  const slices = browserChangeGroups.slices(filter).map((slice) => ({ ...slice, key: sql`halfMD5(browser_name)` }))
  const families = groupsOf(slices, {
    browser: commonValue(() => sql`toString(browser_name)`),
    reportCount,
    weight,
  })
  return { name: 'countChangesByBrowser', statement: sql`${families} ORDER BY ${byVolume}`, row }
}
