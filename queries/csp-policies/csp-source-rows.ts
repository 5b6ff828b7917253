import type { dispositions } from '../../schema/enumerations.ts'
import { type GroupFilter, type GroupSlice, groupSlices } from '../rollups/group-slices.ts'
import { empty, join, type Sql, sql, text, texts, uint64s, uuid } from '../sql/sql.ts'
import { cspDisposition } from './csp-policy-groups.ts'
import { withSourceColumns } from './csp-source-columns.ts'

export interface CspSourceFilter extends GroupFilter {
  readonly siteId: string
  /** Policies of which reports quote one. */
  readonly policyKeys?: readonly bigint[] | undefined
  readonly disposition?: (typeof dispositions)[number] | undefined
  /** Origins, keywords and schemes. */
  readonly sources?: readonly string[] | undefined
}

const measuresOf = ({ isRaw, reportCount, weight, firstSeen, lastSeen }: GroupSlice): Sql => sql`
  ${reportCount} AS reports, ${weight} AS weights, ${isRaw ? sql`countIf(noise)` : sql`sum(noise_count)`} AS noises,
  ${firstSeen} AS first_at, ${lastSeen} AS last_at`

/** `(SELECT …)` of rollup rows and raw reports, each grouped by these columns, with their measures. */
export function cspSourceRows(filter: CspSourceFilter, columns: Sql): Sql {
  const { siteId, policyKeys, disposition, sources } = filter
  const conditions = [
    sql`report_type = 'csp-violation'`,
    sql`site_id = ${uuid(siteId)}`,
    ...(policyKeys ? [sql`policy_key IN ${uint64s(policyKeys)}`] : []),
    ...(disposition ? [sql`${cspDisposition} = ${text(disposition)}`] : []),
  ]
  const ofSources = sources ? sql` AND source IN ${texts(sources)}` : empty
  // ClickHouse applies the WITH of a first SELECT to the others too; raw rows are the last.
  const selects = groupSlices('reports_per_day_by_source', filter, conditions).map((slice) => {
    const withColumns = slice.isRaw ? withSourceColumns : empty
    return sql`${withColumns} SELECT ${columns}, ${measuresOf(slice)} ${slice.from}${ofSources} GROUP BY ${columns}`
  })
  return sql`(${join(selects, ' UNION ALL ')})`
}
