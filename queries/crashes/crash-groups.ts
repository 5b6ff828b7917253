import { equals } from '../equals.ts'
import { groupParts } from '../groups/group-parts.ts'
import { delimited, keptKey } from '../groups/groups-of.ts'
import type { Span } from '../rules/coverage.ts'
import { sql, text, uuid } from '../sql.ts'

/** Which crashes are asked for. */
export interface CrashQuestion {
  readonly tenantId: string
  readonly window: Span
  /** Every site of the tenant where it is undefined. */
  readonly siteId: string | undefined
  /** Exactly this reason. */
  readonly reason: string | undefined
}

/** What must hold of the rows of the rollup and of raw rows alike. */
export const crashConditions = ({ siteId, reason }: CrashQuestion) => [
  sql`report_type = 'crash'`,
  ...equals('site_id', uuid, siteId),
  ...equals('feature', text, reason),
]

export const crashParts = (question: CrashQuestion) =>
  groupParts('crash_groups_day', question.tenantId, question.window, crashConditions(question))

/** Reason, page, frame and visibility (decisions, Groups). */
export const crashKey = keptKey(({ page }) => [
  ...delimited(sql`feature`),
  ...delimited(page),
  sql`ifNull(toString(is_top_level), '')`,
  sql`visibility_state`,
])
