import { z } from 'zod'
import { browserFamilies, type GroupMeasures, groupsOf, partsOfGroups, sameOf } from '../groups/groups-of.ts'
import type { Query } from '../query.ts'
import { rowBigSum } from '../rows.ts'
import { sql } from '../sql.ts'
import { type CrashQuestion, crashKey, crashParts } from './crash-groups.ts'
import type { CrashGroup } from './list-crash-groups.ts'

const row = z.object({
  key: rowBigSum,
  reason: z.string(),
  page: z.string(),
  isTopLevel: z.boolean().nullable(),
  visibilityState: z.string(),
  browsers: z.array(z.string()),
})

const measures: GroupMeasures = {
  reason: sameOf(() => sql`feature`),
  page: sameOf(({ page }) => page),
  isTopLevel: sameOf(() => sql`is_top_level`),
  visibilityState: sameOf(() => sql`visibility_state`),
  browsers: browserFamilies,
}

/** What some crash groups are, and the browser families they came from. No query where there are none. */
export function listCrashDetails(
  question: CrashQuestion,
  groups: readonly Pick<CrashGroup, 'key'>[],
): Query<z.infer<typeof row>>[] {
  if (groups.length === 0) return []
  const parts = partsOfGroups(crashParts(question), crashKey, groups)
  return [{ name: 'listCrashDetails', statement: groupsOf(parts, crashKey, measures), row }]
}
