import { delimited, type Groups, storedKey } from '../groups/keyed-slices.ts'
import type { GroupFilter } from '../rollups/group-slices.ts'
import { equals } from '../sql/equals.ts'
import { sql, text, uuid } from '../sql/sql.ts'

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

export const crashGroups = (filter: CrashFilter): Groups => ({
  filter,
  rollup: 'crashes_per_day_by_group',
  conditions: [
    sql`report_type = 'crash'`,
    ...equals('site_id', uuid, filter.siteId),
    ...equals('feature', text, filter.reason),
  ],
  key,
})
