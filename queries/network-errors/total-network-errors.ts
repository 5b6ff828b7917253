import { z } from 'zod'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { commonValue, selectTotals } from '../groups/select-groups.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { type NetworkErrorFilter, networkErrorGroups } from './network-error-groups.ts'

const row = z.object({ reportCount: rowCount, weight: rowBigSum, groupCount: rowCount, originCount: rowCount })

export function totalNetworkErrors(filter: NetworkErrorFilter): Query<z.infer<typeof row>> {
  const distinct = { originCount: commonValue(() => sql`request_origin`) }
  return { name: 'totalNetworkErrors', statement: selectTotals(keyedSlices(networkErrorGroups(filter)), distinct), row }
}
