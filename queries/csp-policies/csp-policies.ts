import { type GroupPart, groupParts } from '../groups/group-parts.ts'
import type { GroupKey } from '../groups/groups-of.ts'
import type { Span } from '../rules/coverage.ts'
import type { PageMatch } from '../rules/page-pattern.ts'
import { type Sql, sql, text, uuid } from '../sql.ts'

/** Whose policies are asked for: those that reports of a site quote. */
export interface CspPolicyQuestion {
  readonly tenantId: string
  readonly siteId: string
  readonly window: Span
  /** Only reports of these pages; of every page where it is undefined. */
  readonly page: PageMatch | undefined
}

/** What must hold of the rows of the rollup and of raw rows alike. */
export const cspPolicyConditions = ({ siteId }: CspPolicyQuestion) => [
  sql`report_type = 'csp-violation'`,
  sql`site_id = ${uuid(siteId)}`,
  sql`policy_key != 0`,
]

export function cspPolicyParts(question: CspPolicyQuestion): GroupPart[] {
  const { tenantId, window, page } = question
  const parts = groupParts('pages_day', tenantId, window, cspPolicyConditions(question))
  return page ? parts.map((part) => ({ ...part, from: sql`${part.from} AND ${isOn(page, part.page)}` })) : parts
}

/** The expression alone would read every page of the site; the prefix is what the primary key can use. */
const isOn = ({ prefix, expression }: PageMatch, page: Sql): Sql =>
  sql`startsWith(${page}, ${text(prefix)}) AND match(${page}, ${text(expression)})`

/** A report without a disposition is of an old Safari, which sent only what it blocked. */
export const cspDisposition = sql`if(disposition = 'report', 'report', 'enforce')`

/** Policy, nonces apart, and disposition. */
export const cspPolicyKey: GroupKey = () => sql`if(disposition = 'report', bitNot(policy_key), policy_key)`
