/** @module First sightings of issues, those by expired reports too. */

import { z } from 'zod'
import { ofReportTypes, type ReportTypesFilter } from '../groups/keyed-slices.ts'
import type { Keyed } from '../groups/select-groups.ts'
import type { TimeRange } from '../rollups/time-range.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowTime } from '../sql/rows.ts'
import { at, join, type Sql, sql, uint64s, uuid } from '../sql/sql.ts'

type Owner = Pick<ReportTypesFilter, 'tenantId' | 'siteId' | 'reportTypes'>

const whereOwned = (owner: Owner, further: Sql) => {
  const conditions = [sql`tenant_id = ${uuid(owner.tenantId)}`, ...ofReportTypes(owner), further]
  return sql`FROM issue_first_seen WHERE ${join(conditions, ' AND ')}`
}

/** Condition on `issue_key`. An issue has several rows until they are merged, of which the earliest counts. */
export function isFirstSeenIn(owner: Owner, { from, to }: TimeRange): Sql {
  const [start, end] = [at(new Date(from)), at(new Date(to))]
  const candidates = whereOwned(owner, sql`first_seen_at >= ${start} AND first_seen_at < ${end}`)
  const isCandidate = sql`issue_key IN (SELECT issue_key ${candidates})`
  return sql`issue_key IN (
    SELECT issue_key
    ${whereOwned(owner, isCandidate)}
    GROUP BY issue_key
    HAVING min(first_seen_at) >= ${start})`
}

const row = z.object({ key: rowBigSum, firstSeenEver: rowTime })

type FirstSighting = z.infer<typeof row>

export function listFirstSightings(owner: Owner, issues: readonly Keyed[]): Query<FirstSighting>[] {
  if (issues.length === 0) return []
  const isOfIssues = sql`issue_key IN ${uint64s(issues.map(({ key }) => key))}`
  return [
    {
      name: 'listFirstSightings',
      statement: sql`
        SELECT toString(issue_key) AS key, min(first_seen_at) AS firstSeenEver
        ${whereOwned(owner, isOfIssues)}
        GROUP BY issue_key`,
      row,
    },
  ]
}
