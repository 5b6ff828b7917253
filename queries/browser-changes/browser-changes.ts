import type { ReportType } from '../../schema/report-types.ts'
import { equals } from '../equals.ts'
import { type GroupTable, groupParts } from '../groups/group-parts.ts'
import { delimited, type GroupMeasure, keptKey } from '../groups/groups-of.ts'
import type { Span } from '../rules/coverage.ts'
import { join, noTime, type Sql, sql, text, uuid } from '../sql.ts'

/** Which browser changes are asked for. */
export interface BrowserChangeQuestion {
  readonly tenantId: string
  readonly window: Span
  /** Every site of the tenant where it is undefined. */
  readonly siteId: string | undefined
  /** One at least. */
  readonly reportTypes: readonly ReportType[]
}

/** What must hold of the rows of the rollup and of raw rows alike. */
export function browserChangeConditions({ siteId, reportTypes }: BrowserChangeQuestion) {
  const types = reportTypes.map((reportType) => sql`${text(reportType)}`)
  return [sql`report_type IN (${join(types, ', ')})`, ...equals('site_id', uuid, siteId)]
}

/** For what an entry's reports tell: their pages, source files and browsers. */
export const browserChangeParts = (question: BrowserChangeQuestion) => partsIn('browser_changes_day', question)

/** For the entries' numbers and APIs alone: of all sites together from far fewer rows. */
export const browserChangeEntryParts = (question: BrowserChangeQuestion) =>
  partsIn(question.siteId === undefined ? 'browser_change_entries_day' : 'browser_changes_day', question)

const partsIn = (rollup: GroupTable, question: BrowserChangeQuestion) =>
  groupParts(rollup, question.tenantId, question.window, browserChangeConditions(question))

/** Type, API and source file (decisions, Groups). */
export const browserChangeKey = keptKey(() => [sql`report_type`, ...delimited(sql`feature`), sql`source_file`])

/** The removal that the latest of the reports with one names; null where none does. */
export const anticipatedRemoval: GroupMeasure = {
  ofPart: ({ isRaw }) =>
    isRaw
      ? sql`maxIf(${packed(sql`received_at`, sql`id`, sql`assumeNotNull(anticipated_removal)`)}, anticipated_removal IS NOT NULL)`
      : sql`maxIf(${packed(sql`removal.1`, sql`removal.2`, sql`removal.3`)}, removal.1 != ${noTime})`,
  whole: (ofParts) =>
    sql`nullIf(fromUnixTimestamp64Milli(toInt64(bitAnd(max(${ofParts}), ${lowest64})), 'UTC'), ${noTime})`,
}

/** One number that orders as the three do, no time being before 1970: its maximum takes a third of a tuple's time. */
function packed(receivedAt: Sql, id: Sql, removal: Sql): Sql {
  const milliseconds = (time: Sql) => sql`toUInt256(toUnixTimestamp64Milli(${time}))`
  return sql`bitShiftLeft(${milliseconds(receivedAt)}, 192) + bitShiftLeft(toUInt256(reinterpretAsUInt128(${id})), 64) + ${milliseconds(removal)}`
}

const lowest64 = sql`toUInt256(18446744073709551615)`
