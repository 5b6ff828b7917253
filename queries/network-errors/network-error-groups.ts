import { delimited, type Groups, storedKey } from '../groups/keyed-slices.ts'
import type { GroupFilter } from '../rollups/group-slices.ts'
import { equals } from '../sql/equals.ts'
import { sql, text, uuid } from '../sql/sql.ts'

export interface NetworkErrorFilter extends GroupFilter {
  readonly siteId: string | undefined
  readonly phase: string | undefined
  readonly errorType: string | undefined
  readonly origin: string | undefined
}

/** Rule 49. */
const key = storedKey(() => [
  ...delimited(sql`feature`),
  ...delimited(sql`phase`),
  sql`request_origin`,
  sql`toString(status_code)`,
])

export const networkErrorGroups = (filter: NetworkErrorFilter): Groups => ({
  filter,
  rollup: 'network_errors_per_day_by_group',
  conditions: [
    sql`report_type = 'network-error'`,
    ...equals('site_id', uuid, filter.siteId),
    ...equals('phase', text, filter.phase),
    ...equals('feature', text, filter.errorType),
    ...equals('request_origin', text, filter.origin),
  ],
  key,
})
