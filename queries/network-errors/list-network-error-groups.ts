import type { z } from 'zod'
import {
  groupPageRow,
  isAfter,
  noGroups,
  selectGroupPage,
  totalDistinct,
  type VolumePosition,
} from '../groups/group-pages.ts'
import { keyedSlices } from '../groups/keyed-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { type NetworkErrorFilter, networkErrorGroups } from './network-error-groups.ts'

const row = groupPageRow.extend({ originCount: rowCount })

export type NetworkErrorGroup = z.infer<typeof row>

export const noNetworkErrors = { ...noGroups, originCount: 0 }

const measures = { originCount: totalDistinct(() => sql`request_origin`) }

export function listNetworkErrorGroups(
  filter: NetworkErrorFilter,
  after: VolumePosition | undefined,
  limit: number,
): Query<NetworkErrorGroup> {
  const condition = after && isAfter(after)
  const statement = selectGroupPage(keyedSlices(networkErrorGroups(filter)), { measures, condition, limit })
  return { name: 'listNetworkErrorGroups', statement, row }
}
