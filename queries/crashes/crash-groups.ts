import { delimited, groupKind, storedKey } from '../groups/keyed-slices.ts'
import type { GroupFilter } from '../rollups/group-slices.ts'
import { equals } from '../sql/equals.ts'
import { sql, text, uuid } from '../sql/sql.ts'

/** Which crashes are asked for. */
export interface CrashFilter extends GroupFilter {
  /** Every site of the tenant where it is undefined. */
  readonly siteId: string | undefined
  /** Exactly this reason. */
  readonly reason: string | undefined
}

const conditions = ({ siteId, reason }: CrashFilter) => [
  sql`report_type = 'crash'`,
  ...equals('site_id', uuid, siteId),
  ...equals('feature', text, reason),
]

/** Reason, page, frame and visibility (decisions, Groups). */
const key = storedKey(({ page }) => [
  ...delimited(sql`feature`),
  ...delimited(page),
  sql`ifNull(toString(is_top_level), '')`,
  sql`visibility_state`,
])

export const crashGroups = groupKind('crashes_per_day_by_group', conditions, key)
