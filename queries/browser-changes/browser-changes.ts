/** @module Browser changes: Rule 48. */

import { z } from 'zod'
import { browserChangeTypeNames } from '../../schema/report-types.ts'
import {
  byVolume,
  groupPageRow,
  isAfter,
  noGroups,
  queryGroupPage,
  totalDistinct,
  type VolumePosition,
} from '../groups/group-pages.ts'
import {
  delimited,
  type Groups,
  keyedSlices,
  ofReportTypes,
  type ReportTypesFilter,
  storedKey,
} from '../groups/keyed-slices.ts'
import {
  commonValue,
  distinctTexts,
  type GroupMeasure,
  type GroupMeasures,
  type Keyed,
  latestValue,
  queryLatest,
  slicesOfGroups,
} from '../groups/select-groups.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount, rowTime } from '../sql/rows.ts'
import { at, join, noTime, type Sql, sql, uint } from '../sql/sql.ts'

export type BrowserChangeFilter = ReportTypesFilter

const key = storedKey(() => [sql`report_type`, ...delimited(sql`feature`), sql`source_file`])

const browserChangeGroups = (filter: BrowserChangeFilter): Groups => ({
  filter,
  rollup: 'browser_changes_per_day_by_page',
  conditions: ofReportTypes(filter),
  key,
})

/** Only numbers and APIs: for all sites together, from far fewer rows. */
function browserChangeEntries(filter: BrowserChangeFilter): Groups {
  const groups = browserChangeGroups(filter)
  return filter.siteId === undefined ? { ...groups, rollup: 'browser_changes_per_day_by_entry' } : groups
}

/** From the latest report with a removal date. */
const anticipatedRemoval: GroupMeasure = {
  ofSlice: ({ isRaw }) => {
    const rawRemoval = packed(sql`received_at`, sql`id`, sql`assumeNotNull(anticipated_removal_at)`)
    return isRaw
      ? sql`maxIf(${rawRemoval}, anticipated_removal_at IS NOT NULL)`
      : sql`maxIf(${packed(sql`removal.1`, sql`removal.2`, sql`removal.3`)}, removal.1 != ${noTime})`
  },
  merged: (values) =>
    sql`nullIf(fromUnixTimestamp64Milli(toInt64(bitAnd(max(${values}), ${lowest64})), 'UTC'), ${noTime})`,
}

/** One UInt256 with the order of the three: its maximum takes a third of a tuple's time. */
function packed(receivedAt: Sql, id: Sql, removal: Sql): Sql {
  const milliseconds = (time: Sql) => sql`toUInt256(toUnixTimestamp64Milli(${time}))`
  const idBits = sql`bitShiftLeft(toUInt256(reinterpretAsUInt128(${id})), 64)`
  return sql`bitShiftLeft(${milliseconds(receivedAt)}, 192) + ${idBits} + ${milliseconds(removal)}`
}

const lowest64 = sql`toUInt256(18446744073709551615)`

const browserChangeRow = groupPageRow.extend({
  anticipatedRemoval: rowTime.nullable(),
  apiCount: rowCount,
  withRemovalDateCount: rowCount,
  soonestRemoval: rowTime.nullable(),
})

export type BrowserChangeEntry = z.infer<typeof browserChangeRow>

export const noBrowserChanges = { ...noGroups, apiCount: 0, withRemovalDateCount: 0, soonestRemoval: null }

export interface BrowserChangePosition extends VolumePosition {
  /** Milliseconds since the Unix epoch; null after the last entry with a date. */
  readonly anticipatedRemoval: number | null
}

const browserChangesMeasures = { anticipatedRemoval, apiCount: totalDistinct(() => sql`feature`) }

const totals = [
  sql`count(anticipatedRemoval) OVER () AS withRemovalDateCount`,
  sql`min(anticipatedRemoval) OVER () AS soonestRemoval`,
]

/** Soonest removal first, entries without a date last, then the largest volume. */
export const listBrowserChanges = (
  filter: BrowserChangeFilter,
  after: BrowserChangePosition | undefined,
  limit: number,
) =>
  queryGroupPage(
    {
      name: 'listBrowserChanges',
      measures: browserChangesMeasures,
      totals,
      order: sql`anticipatedRemoval NULLS LAST, ${byVolume}`,
      row: browserChangeRow,
    },
    keyedSlices(browserChangeEntries(filter)),
    { condition: after && isAfterRemoval(after), limit },
  )

function isAfterRemoval(after: BrowserChangePosition): Sql {
  if (after.anticipatedRemoval === null) return sql`anticipatedRemoval IS NULL AND ${isAfter(after)}`
  const date = at(new Date(after.anticipatedRemoval))
  const isTied = sql`(anticipatedRemoval = ${date} AND ${isAfter(after)})`
  return sql`(anticipatedRemoval IS NULL OR anticipatedRemoval > ${date} OR ${isTied})`
}

const browserChangeDetailRow = z.object({
  key: rowBigSum,
  pageCount: rowCount,
  topPages: z.array(z.string()),
  browsers: z.array(z.string()),
})

/** Rule 48. */
const maxTopPages = 3

const families = distinctTexts(() => sql`groupUniqArray(toString(browser_name))`)

/** Pages with most reports first, ties by URL; an unknown page does not count. */
export function listBrowserChangeDetails(
  filter: BrowserChangeFilter,
  entries: readonly Keyed[],
): Query<z.infer<typeof browserChangeDetailRow>>[] {
  if (entries.length === 0) return []
  const pagesBySlice = slicesOfGroups(keyedSlices(browserChangeGroups(filter)), entries).map(
    (slice) => sql`
      SELECT ${slice.key} AS group_key, ${slice.page} AS url, ${slice.reportCount} AS slice_reports,
        ${families.ofSlice(slice)} AS slice_browsers
      ${slice.from}
      GROUP BY group_key, url`,
  )
  const pages = sql`
    SELECT group_key, url, sum(slice_reports) AS page_reports,
      groupUniqArrayArray(slice_browsers) AS page_browsers
    FROM (${join(pagesBySlice, ' UNION ALL ')})
    GROUP BY group_key, url`
  const ranked = sql`arraySort(groupArrayIf((-toInt64(page_reports), url), url != ''))`
  const statement = sql`
    SELECT toString(group_key) AS key, countIf(url != '') AS pageCount,
      arrayMap(page -> page.2, arraySlice(${ranked}, 1, ${uint(maxTopPages)})) AS topPages,
      ${families.merged(sql`page_browsers`)} AS browsers
    FROM (${pages})
    GROUP BY group_key`
  return [{ name: 'listBrowserChangeDetails', statement, row: browserChangeDetailRow }]
}

const browserChangeTextRow = z.object({
  key: rowBigSum,
  reportType: z.enum(browserChangeTypeNames),
  feature: z.string(),
  sourceFile: z.string().nullable(),
  lineNumber: z.int().nullable(),
  message: z.string(),
})

const browserChangeTextsMeasures: GroupMeasures = {
  reportType: commonValue(() => sql`report_type`),
  feature: commonValue(() => sql`feature`),
  sourceFile: commonValue(() => sql`nullIf(source_file, '')`),
  lineNumber: { ...latestValue(sql`line_number`), merged: (values) => sql`nullIf(any(${values}), 0)` },
  message: latestValue(sql`message`),
}

/** Texts of each entry's latest report. */
export const listBrowserChangeTexts = (
  filter: BrowserChangeFilter,
  entries: readonly (Keyed & { readonly lastSeen: string })[],
) =>
  queryLatest(
    { name: 'listBrowserChangeTexts', measures: browserChangeTextsMeasures, row: browserChangeTextRow },
    browserChangeGroups(filter),
    entries,
  )
