import { z } from 'zod'
import { groupDetails } from '../groups/group-details.ts'
import { browserFamilies, commonValue, type GroupMeasures } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { crashGroups } from './crash-groups.ts'

const row = z.object({
  key: rowBigSum,
  reason: z.string(),
  page: z.string(),
  isTopLevel: z.boolean().nullable(),
  visibilityState: z.string(),
  browsers: z.array(z.string()),
})

const measures: GroupMeasures = {
  reason: commonValue(() => sql`feature`),
  page: commonValue(({ page }) => page),
  isTopLevel: commonValue(() => sql`is_top_level`),
  visibilityState: commonValue(() => sql`visibility_state`),
  browsers: browserFamilies,
}

/** What some crash groups are, and the browser families they came from. */
export const listCrashDetails = groupDetails({ name: 'listCrashDetails', kind: crashGroups, measures, row })
