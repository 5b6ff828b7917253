import { z } from 'zod'
import { commonValue, groupTotals } from '../groups/select-groups.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { type CrashFilter, crashGroups } from './crash-groups.ts'

const row = z.object({ reportCount: rowCount, weight: rowBigSum, pageCount: rowCount, groupCount: rowCount })

/** The sums of every crash group: one row. An unknown page is no page. */
export function totalCrashes(filter: CrashFilter): Query<z.infer<typeof row>> {
  const distinct = { pageCount: commonValue(({ page }) => page) }
  const statement = groupTotals(crashGroups.slices(filter), distinct)
  return { name: 'totalCrashes', statement, row }
}
