import { z } from 'zod'
import { type Keyed, latestValue, queryLatest } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { type NetworkErrorFilter, networkErrorGroups } from './network-error-groups.ts'

const row = z.object({ key: rowBigSum, exampleUrl: z.string() })

const measures = { exampleUrl: latestValue(sql`request_url`) }

export const listNetworkErrorExamples = (
  filter: NetworkErrorFilter,
  groups: readonly (Keyed & { readonly lastSeen: string })[],
) => queryLatest({ name: 'listNetworkErrorExamples', measures, row }, networkErrorGroups(filter), groups)
