import { z } from 'zod'
import { commonValue, type GroupMeasures, queryLatest } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { sql, uint } from '../sql/sql.ts'
import { type CrashFilter, crashGroups } from './crash-groups.ts'
import type { CrashGroup } from './list-crash-groups.ts'

const row = z.object({
  key: rowBigSum,
  reason: z.string(),
  page: z.string(),
  isTopLevel: z.boolean().nullable(),
  visibilityState: z.string(),
  stackExcerpt: z.string().nullable(),
})

/** Unicode code points. */
const maxExcerptLength = 1_024

const stack = sql`substringUTF8(stack, 1, ${uint(maxExcerptLength)})`

const measures: GroupMeasures = {
  reason: commonValue(() => sql`feature`),
  page: commonValue(({ page }) => page),
  isTopLevel: commonValue(() => sql`is_top_level`),
  visibilityState: commonValue(() => sql`visibility_state`),
  stackExcerpt: {
    ofSlice: () => sql`argMaxIf(${stack}, (received_at, id), stack != '')`,
    merged: (values) => sql`nullIf(any(${values}), '')`,
  },
}

/** Texts of each group's latest report, and the latest stack. */
export function listCrashTexts(
  filter: CrashFilter,
  groups: readonly Pick<CrashGroup, 'key' | 'lastSeen' | 'lastStackAt'>[],
) {
  const seen = groups.flatMap(({ key, lastSeen, lastStackAt }) => [
    { key, lastSeen },
    { key, lastSeen: lastStackAt },
  ])
  return queryLatest({ name: 'listCrashTexts', measures, row }, crashGroups(filter), seen)
}
