import { z } from 'zod'
import { latestReports } from '../groups/group-details.ts'
import { latestValue } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { sql, uint } from '../sql/sql.ts'
import { crashGroups } from './crash-groups.ts'

const row = z.object({ key: rowBigSum, stackExcerpt: z.string() })

/** Unicode code points of a stack that are answered. */
const excerptLength = 1_024

/** The stacks of some crash groups: of each the latest report's that has one. */
export const listCrashStacks = latestReports({
  name: 'listCrashStacks',
  kind: crashGroups,
  receivedAt: 'lastStackAt',
  conditions: [sql`stack != ''`],
  measures: { stackExcerpt: latestValue(sql`substringUTF8(stack, 1, ${uint(excerptLength)})`) },
  row,
})
