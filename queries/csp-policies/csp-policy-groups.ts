import type { PageMatch } from '../../schema/rules/scans/page-pattern.ts'
import type { ValueCondition } from '../../schema/value-filters.ts'
import { type Groups, type KeyedSlice, keyedSlices } from '../groups/keyed-slices.ts'
import { type GroupFilter, slicesWhere } from '../rollups/group-slices.ts'
import { equals } from '../sql/equals.ts'
import { matchesText } from '../sql/matches.ts'
import { sql, text, uint64, uuid } from '../sql/sql.ts'

export interface CspPolicyFilter extends GroupFilter {
  readonly siteId: string
  /** Every page if it is undefined. */
  readonly page: PageMatch | undefined
  /** Only policies quoted by reports of pages that meet all of these. */
  readonly pageConditions?: readonly ValueCondition[]
  /** Only policies that reports of this issue quote. */
  readonly issueKey?: bigint | undefined
}

/** Old Safari versions send no disposition, and only blocked loads. */
export const cspDisposition = sql`if(disposition = 'report', 'report', 'enforce')`

export const cspPolicyGroups = (filter: CspPolicyFilter): Groups => ({
  filter,
  rollup: filter.issueKey === undefined ? 'reports_per_day_by_page' : undefined,
  conditions: [
    sql`report_type = 'csp-violation'`,
    sql`site_id = ${uuid(filter.siteId)}`,
    sql`policy_key != 0`,
    ...equals('issue_key', uint64, filter.issueKey),
  ],
  // policy_key leaves out nonces and the queries of report-uri.
  key: () => sql`if(disposition = 'report', bitNot(policy_key), policy_key)`,
})

/** The expression would read every page of the site; the primary key can use the prefix. */
export function cspPolicySlices(filter: CspPolicyFilter): KeyedSlice[] {
  const { pageConditions = [] } = filter
  const slices = pageConditions.reduce(
    (narrowed, condition) => slicesWhere(narrowed, ({ page }) => matchesText(page, condition)),
    keyedSlices(cspPolicyGroups(filter)),
  )
  if (!filter.page) return slices
  const [prefix, expression] = [text(filter.page.prefix), text(filter.page.expression)]
  return slicesWhere(slices, ({ page }) => sql`startsWith(${page}, ${prefix}) AND match(${page}, ${expression})`)
}
