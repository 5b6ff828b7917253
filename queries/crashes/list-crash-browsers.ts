import { z } from 'zod'
import { browserFamilies, groupsOf, withKeys } from '../groups/groups-of.ts'
import type { Query } from '../query.ts'
import { rowBigSum } from '../rows.ts'
import { type CrashQuestion, crashKey, crashParts } from './crash-groups.ts'
import type { CrashGroup } from './list-crash-groups.ts'

const row = z.object({ key: rowBigSum, browsers: z.array(z.string()) })

/** The browser families of some groups. No query where there are none. */
export function listCrashBrowsers(
  question: CrashQuestion,
  groups: readonly Pick<CrashGroup, 'key'>[],
): Query<z.infer<typeof row>>[] {
  if (groups.length === 0) return []
  const keys = groups.map(({ key }) => key)
  const parts = withKeys(crashParts(question), crashKey, keys)
  return [{ name: 'listCrashBrowsers', statement: groupsOf(parts, crashKey, { browsers: browserFamilies }), row }]
}
