import type { ReportType } from '../../schema/report-types.ts'
import { equals } from '../equals.ts'
import { groupParts } from '../groups/group-parts.ts'
import { delimited, type GroupMeasure, keptKey } from '../groups/groups-of.ts'
import type { Span } from '../rules/coverage.ts'
import { join, sql, text, uuid } from '../sql.ts'

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

export const browserChangeParts = (question: BrowserChangeQuestion) =>
  groupParts('browser_changes_day', question.tenantId, question.window, browserChangeConditions(question))

/** Type, API and source file (decisions, Groups). */
export const browserChangeKey = keptKey(() => [sql`report_type`, ...delimited(sql`feature`), sql`source_file`])

/** The removal that the latest of the reports with one names; null where none does. */
export const anticipatedRemoval: GroupMeasure = {
  ofPart: ({ isRaw }) =>
    isRaw
      ? sql`maxIf((received_at, id, assumeNotNull(anticipated_removal)), anticipated_removal IS NOT NULL)`
      : sql`max(removal)`,
  whole: (ofParts) => sql`nullIf(tupleElement(max(${ofParts}), 3), toDateTime64(0, 3, 'UTC'))`,
}
