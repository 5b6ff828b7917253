/** @module Browser changes: Rule 48. */

import { delimited, type Groups, ofReportTypes, type ReportTypesFilter, storedKey } from '../groups/keyed-slices.ts'
import type { GroupMeasure } from '../groups/select-groups.ts'
import { noTime, type Sql, sql } from '../sql/sql.ts'

export type BrowserChangeFilter = ReportTypesFilter

const key = storedKey(() => [sql`report_type`, ...delimited(sql`feature`), sql`source_file`])

export const browserChangeGroups = (filter: BrowserChangeFilter): Groups => ({
  filter,
  rollup: 'browser_changes_per_day_by_page',
  conditions: ofReportTypes(filter),
  key,
})

/** Only numbers and APIs: for all sites together, from far fewer rows. */
export function browserChangeEntries(filter: BrowserChangeFilter): Groups {
  const groups = browserChangeGroups(filter)
  return filter.siteId === undefined ? { ...groups, rollup: 'browser_changes_per_day_by_entry' } : groups
}

/** From the latest report with a removal date. */
export const anticipatedRemoval: GroupMeasure = {
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
