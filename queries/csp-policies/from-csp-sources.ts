import type { dispositions } from '../../schema/enumerations.ts'
import { type GroupFilter, groupSlices } from '../rollups/group-slices.ts'
import { empty, join, type Sql, sql, text, texts, uint64s, uuid } from '../sql/sql.ts'
import { cspDisposition } from './csp-policy-groups.ts'
import { withSourceColumns } from './csp-source-columns.ts'

export interface CspSourceFilter extends GroupFilter {
  readonly siteId: string
  /** Only reports that quote one of these policies. */
  readonly policyKeys?: readonly bigint[] | undefined
  readonly disposition?: (typeof dispositions)[number] | undefined
  /** Uses the primary key, with `bucket` before it and `sources` after it. */
  readonly directives?: readonly string[] | undefined
  /** Origins, keywords and schemes. */
  readonly sources?: readonly string[] | undefined
}

const ofRollup = sql`
  report_count AS reports, weight AS weights, noise_count AS noises, first_seen_at AS first_at, last_seen_at AS last_at`

const ofReports = sql`
  1 AS reports, weight AS weights, toUInt64(noise) AS noises, received_at AS first_at, received_at AS last_at`

/** `FROM (SELECT …)` of rollup rows and raw reports: these columns and the measures, which the caller sums. */
export function fromCspSources(filter: CspSourceFilter, columns: Sql): Sql {
  const { siteId, policyKeys, disposition, directives, sources } = filter
  const conditions = [
    sql`report_type = 'csp-violation'`,
    sql`site_id = ${uuid(siteId)}`,
    ...(policyKeys ? [sql`policy_key IN ${uint64s(policyKeys)}`] : []),
    ...(directives ? [sql`directive IN ${texts(directives)}`] : []),
    ...(disposition ? [sql`${cspDisposition} = ${text(disposition)}`] : []),
  ]
  const ofSources = sources ? sql` AND source IN ${texts(sources)}` : empty
  // ClickHouse applies the WITH of a first SELECT to the others too; raw rows are the last.
  const selects = groupSlices('reports_per_day_by_source', filter, conditions).map(({ isRaw, from }) => {
    const [withColumns, measures] = isRaw ? [withSourceColumns, ofReports] : [empty, ofRollup]
    return sql`${withColumns} SELECT ${columns}, ${measures} ${from}${ofSources}`
  })
  return sql`FROM (${join(selects, ' UNION ALL ')})`
}
