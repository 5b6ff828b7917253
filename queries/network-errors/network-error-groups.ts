import { delimited, groupKind, storedKey } from '../groups/keyed-slices.ts'
import type { GroupFilter } from '../rollups/group-slices.ts'
import { equals } from '../sql/equals.ts'
import { sql, text, uuid } from '../sql/sql.ts'

/** Which network errors are asked for; each filter is exact, and none where it is undefined. */
export interface NetworkErrorFilter extends GroupFilter {
  readonly siteId: string | undefined
  readonly phase: string | undefined
  readonly errorType: string | undefined
  /** Origin of the failed request. */
  readonly origin: string | undefined
}

const conditions = ({ siteId, phase, errorType, origin }: NetworkErrorFilter) => [
  sql`report_type = 'network-error'`,
  ...equals('site_id', uuid, siteId),
  ...equals('phase', text, phase),
  ...equals('feature', text, errorType),
  ...equals('request_origin', text, origin),
]

/** Error type, phase, request origin and status (contract, Network error group). */
const key = storedKey(() => [
  ...delimited(sql`feature`),
  ...delimited(sql`phase`),
  sql`request_origin`,
  sql`toString(status_code)`,
])

export const networkErrorGroups = groupKind('network_errors_per_day_by_group', conditions, key)
