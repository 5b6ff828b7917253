import { z } from 'zod'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { browserFamilies, commonValue, type Keyed, queryDetails } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { type CrashFilter, crashGroups } from './crash-groups.ts'

const row = z.object({
  key: rowBigSum,
  reason: z.string(),
  page: z.string(),
  isTopLevel: z.boolean().nullable(),
  visibilityState: z.string(),
  browsers: z.array(z.string()),
})

const measures = {
  reason: commonValue(() => sql`feature`),
  page: commonValue(({ page }) => page),
  isTopLevel: commonValue(() => sql`is_top_level`),
  visibilityState: commonValue(() => sql`visibility_state`),
  browsers: browserFamilies,
}

export const listCrashDetails = (filter: CrashFilter, groups: readonly Keyed[]) =>
  queryDetails({ name: 'listCrashDetails', measures, row }, keyedSlices(crashGroups(filter)), groups)
