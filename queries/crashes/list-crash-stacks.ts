import { z } from 'zod'
import { type Keyed, latestValue, queryLatest } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { sql, uint } from '../sql/sql.ts'
import { type CrashFilter, crashGroups } from './crash-groups.ts'

const row = z.object({ key: rowBigSum, stackExcerpt: z.string() })

/** Unicode code points. */
const maxExcerptLength = 1_024

const measures = { stackExcerpt: latestValue(sql`substringUTF8(stack, 1, ${uint(maxExcerptLength)})`) }

/** The stack of each group's latest report that has one. */
export function listCrashStacks(filter: CrashFilter, groups: readonly (Keyed & { readonly lastStackAt: number })[]) {
  const { conditions, ...crashes } = crashGroups(filter)
  const withStack = { ...crashes, conditions: [...conditions, sql`stack != ''`] }
  const seen = groups.flatMap(({ key, lastStackAt }) => (lastStackAt === 0 ? [] : [{ key, lastSeen: lastStackAt }]))
  return queryLatest({ name: 'listCrashStacks', measures, row }, withStack, seen)
}
