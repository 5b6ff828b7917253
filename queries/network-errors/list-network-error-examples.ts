import { z } from 'zod'
import { latestReports } from '../groups/group-details.ts'
import { latestValue } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { networkErrorGroups } from './network-error-groups.ts'

const row = z.object({ key: rowBigSum, exampleUrl: z.string() })

/** The URL that failed last, of some groups. */
export const listNetworkErrorExamples = latestReports({
  name: 'listNetworkErrorExamples',
  kind: networkErrorGroups,
  receivedAt: 'lastSeen',
  measures: { exampleUrl: latestValue(sql`request_url`) },
  row,
})
