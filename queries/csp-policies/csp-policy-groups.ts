import { type GroupKind, groupKind } from '../groups/keyed-slices.ts'
import { type GroupFilter, slicesWhere } from '../rollups/group-slices.ts'
import type { PageMatch } from '../rules/scans/page-pattern.ts'
import { type Sql, sql, text, uuid } from '../sql/sql.ts'

/** Whose policies are asked for: those that reports of a site quote. */
export interface CspPolicyFilter extends GroupFilter {
  readonly siteId: string
  /** Only reports of these pages; of every page where it is undefined. */
  readonly page: PageMatch | undefined
}

const conditions = ({ siteId }: CspPolicyFilter) => [
  sql`report_type = 'csp-violation'`,
  sql`site_id = ${uuid(siteId)}`,
  sql`policy_key != 0`,
]

/** A report without a disposition is of an old Safari, which sent only what it blocked. */
export const cspDisposition = sql`if(disposition = 'report', 'report', 'enforce')`

/** Policy, nonces apart, and disposition. */
const key = () => sql`if(disposition = 'report', bitNot(policy_key), policy_key)`

const ofEveryPage = groupKind('reports_per_day_by_page', conditions, key)

export const cspPolicyGroups: GroupKind<CspPolicyFilter> = {
  ...ofEveryPage,
  slices(filter) {
    const { page } = filter
    const slices = ofEveryPage.slices(filter)
    return page ? slicesWhere(slices, (slice) => isOn(page, slice.page)) : slices
  },
}

/** The expression alone would read every page of the site; the prefix is what the primary key can use. */
const isOn = ({ prefix, expression }: PageMatch, page: Sql): Sql =>
  sql`startsWith(${page}, ${text(prefix)}) AND match(${page}, ${text(expression)})`
