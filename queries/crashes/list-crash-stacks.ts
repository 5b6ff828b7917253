import { z } from 'zod'
import { rawPartAt } from '../groups/group-parts.ts'
import { groupsOf, latestOf, partsOfGroups } from '../groups/groups-of.ts'
import type { Query } from '../query.ts'
import { rowBigSum } from '../rows.ts'
import { sql, uint } from '../sql.ts'
import { type CrashQuestion, crashConditions, crashKey } from './crash-groups.ts'
import type { CrashGroup } from './list-crash-groups.ts'

const row = z.object({ key: rowBigSum, stackExcerpt: z.string() })

/** Unicode code points of a stack that are answered. */
const excerptLength = 1_024

/** The stacks of some crash groups: of each the latest report's that has one. No query where no report has one. */
export function listCrashStacks(
  question: CrashQuestion,
  groups: readonly Pick<CrashGroup, 'key' | 'lastStackAt'>[],
): Query<z.infer<typeof row>>[] {
  const stacked = groups.filter(({ lastStackAt }) => lastStackAt > 0)
  if (stacked.length === 0) return []
  const moments = stacked.map(({ lastStackAt }) => new Date(lastStackAt))
  const reports = rawPartAt(question.tenantId, moments, [...crashConditions(question), sql`stack != ''`])
  const measures = { stackExcerpt: latestOf(sql`substringUTF8(stack, 1, ${uint(excerptLength)})`) }
  return [
    {
      name: 'listCrashStacks',
      statement: groupsOf(partsOfGroups([reports], crashKey, stacked), crashKey, measures),
      row,
    },
  ]
}
