import { z } from 'zod'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { commonValue, selectTotals } from '../groups/select-groups.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { type CrashFilter, crashGroups } from './crash-groups.ts'

const row = z.object({ reportCount: rowCount, weight: rowBigSum, pageCount: rowCount, groupCount: rowCount })

export function totalCrashes(filter: CrashFilter): Query<z.infer<typeof row>> {
  const distinct = { pageCount: commonValue(({ page }) => page) }
  return { name: 'totalCrashes', statement: selectTotals(keyedSlices(crashGroups(filter)), distinct), row }
}
