import { z } from 'zod'
import {
  groupPageRow,
  isAfter,
  noGroups,
  queryGroupPage,
  totalDistinct,
  type VolumePosition,
} from '../groups/group-pages.ts'
import { delimited, type Groups, keyedSlices, storedKey } from '../groups/keyed-slices.ts'
import {
  browserFamilies,
  commonValue,
  type GroupMeasures,
  type Keyed,
  queryDetails,
  queryLatest,
} from '../groups/select-groups.ts'
import type { GroupFilter } from '../rollups/group-slices.ts'
import { equals } from '../sql/matches.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { sql, text, uint, uuid } from '../sql/sql.ts'

export interface CrashFilter extends GroupFilter {
  readonly siteId: string | undefined
  readonly reason: string | undefined
}

/** Rule 47. */
const key = storedKey(({ page }) => [
  ...delimited(sql`feature`),
  ...delimited(page),
  sql`ifNull(toString(is_top_level), '')`,
  sql`visibility_state`,
])

const crashGroups = (filter: CrashFilter): Groups => ({
  filter,
  rollup: 'crashes_per_day_by_group',
  conditions: [
    sql`report_type = 'crash'`,
    ...equals('site_id', uuid, filter.siteId),
    ...equals('feature', text, filter.reason),
  ],
  key,
})

/** `lastStackAt` is the latest report with a stack, in milliseconds since the Unix epoch; 0 without one. */
const crashGroupRow = groupPageRow.extend({ lastStackAt: z.int(), pageCount: rowCount })

export type CrashGroup = z.infer<typeof crashGroupRow>

export const noCrashes = { ...noGroups, pageCount: 0 }

const crashGroupsMeasures: GroupMeasures = {
  pageCount: totalDistinct(({ page }) => page),
  lastStackAt: {
    ofSlice: ({ isRaw }) => (isRaw ? sql`maxIf(received_at, stack != '')` : sql`max(last_stack_at)`),
    merged: (values) => sql`toUnixTimestamp64Milli(max(${values}))`,
  },
}

export const listCrashGroups = (filter: CrashFilter, after: VolumePosition | undefined, limit: number) =>
  queryGroupPage(
    { name: 'listCrashGroups', measures: crashGroupsMeasures, row: crashGroupRow },
    keyedSlices(crashGroups(filter)),
    { condition: after && isAfter(after), limit },
  )

const crashDetailRow = z.object({ key: rowBigSum, browsers: z.array(z.string()) })

const crashDetailsMeasures = { browsers: browserFamilies }

export const listCrashDetails = (filter: CrashFilter, groups: readonly Keyed[]) =>
  queryDetails(
    { name: 'listCrashDetails', measures: crashDetailsMeasures, row: crashDetailRow },
    keyedSlices(crashGroups(filter)),
    groups,
  )

const crashTextRow = z.object({
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

const crashTextsMeasures: GroupMeasures = {
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
  return queryLatest(
    { name: 'listCrashTexts', measures: crashTextsMeasures, row: crashTextRow },
    crashGroups(filter),
    seen,
  )
}
