import {
  delimited,
  type GroupKind,
  groupKind,
  ofReportTypes,
  type ReportTypesFilter,
  storedKey,
} from '../groups/keyed-slices.ts'
import type { GroupMeasure } from '../groups/select-groups.ts'
import type { GroupTable } from '../rollups/group-slices.ts'
import { noTime, type Sql, sql } from '../sql/sql.ts'

/** Which browser changes are asked for. */
export type BrowserChangeFilter = ReportTypesFilter

/** Type, API and source file (decisions, Groups). */
const key = storedKey(() => [sql`report_type`, ...delimited(sql`feature`), sql`source_file`])

const ofRollup = (rollup: GroupTable) => groupKind<BrowserChangeFilter>(rollup, ofReportTypes, key)

/** With the pages, source files and browsers of their reports. */
export const browserChangeGroups = ofRollup('browser_changes_per_day_by_page')

const ofAllSites = ofRollup('browser_changes_per_day_by_entry')

/** Their numbers and APIs alone: of all sites together from far fewer rows. */
export const browserChangeEntries: GroupKind<BrowserChangeFilter> = {
  ...browserChangeGroups,
  slices: (filter) => (filter.siteId === undefined ? ofAllSites : browserChangeGroups).slices(filter),
}

/** The removal that the latest of the reports with one names; null where none does. */
export const anticipatedRemoval: GroupMeasure = {
  ofSlice: ({ isRaw }) =>
    isRaw
      ? sql`maxIf(${packed(sql`received_at`, sql`id`, sql`assumeNotNull(anticipated_removal_at)`)}, anticipated_removal_at IS NOT NULL)`
      : sql`maxIf(${packed(sql`removal.1`, sql`removal.2`, sql`removal.3`)}, removal.1 != ${noTime})`,
  merged: (values) =>
    sql`nullIf(fromUnixTimestamp64Milli(toInt64(bitAnd(max(${values}), ${lowest64})), 'UTC'), ${noTime})`,
}

/** One number that orders as the three do, no time being before 1970: its maximum takes a third of a tuple's time. */
function packed(receivedAt: Sql, id: Sql, removal: Sql): Sql {
  const milliseconds = (time: Sql) => sql`toUInt256(toUnixTimestamp64Milli(${time}))`
  return sql`bitShiftLeft(${milliseconds(receivedAt)}, 192) + bitShiftLeft(toUInt256(reinterpretAsUInt128(${id})), 64) + ${milliseconds(removal)}`
}

const lowest64 = sql`toUInt256(18446744073709551615)`
