import { equals } from '../equals.ts'
import { groupParts } from '../groups/group-parts.ts'
import { delimited, keptKey } from '../groups/groups-of.ts'
import type { Span } from '../rules/coverage.ts'
import { sql, text, uuid } from '../sql.ts'

/** Which network errors are asked for; each filter is exact, and none where it is undefined. */
export interface NetworkErrorQuestion {
  readonly tenantId: string
  readonly window: Span
  readonly siteId: string | undefined
  readonly phase: string | undefined
  readonly errorType: string | undefined
  /** Origin of the failed request. */
  readonly origin: string | undefined
}

/** What must hold of the rows of the rollup and of raw rows alike. */
export const networkErrorConditions = ({ siteId, phase, errorType, origin }: NetworkErrorQuestion) => [
  sql`report_type = 'network-error'`,
  ...equals('site_id', uuid, siteId),
  ...equals('phase', text, phase),
  ...equals('feature', text, errorType),
  ...equals('request_origin', text, origin),
]

export const networkErrorParts = (question: NetworkErrorQuestion) =>
  groupParts('network_error_groups_day', question.tenantId, question.window, networkErrorConditions(question))

/** Error type, phase, request origin and status (contract, Network error group). */
export const networkErrorKey = keptKey(() => [
  ...delimited(sql`feature`),
  ...delimited(sql`phase`),
  sql`request_origin`,
  sql`toString(status_code)`,
])
