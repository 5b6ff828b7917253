import { z } from 'zod'
import { commonValue, groupTotals } from '../groups/select-groups.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { type NetworkErrorFilter, networkErrorGroups } from './network-error-groups.ts'

const row = z.object({ reportCount: rowCount, weight: rowBigSum, groupCount: rowCount, originCount: rowCount })

/** The sums of every network error group: one row. An unknown origin is no origin. */
export function totalNetworkErrors(filter: NetworkErrorFilter): Query<z.infer<typeof row>> {
  const distinct = { originCount: commonValue(() => sql`request_origin`) }
  const statement = groupTotals(networkErrorGroups.slices(filter), distinct)
  return { name: 'totalNetworkErrors', statement, row }
}
