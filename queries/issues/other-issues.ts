import { z } from 'zod'
import { reportTypeRows } from '../../schema/report-types.ts'
import { storedFieldRows } from '../../schema/stored-report.ts'
import { rawTime } from '../rollups/columns.ts'
import { inRanges } from '../rollups/table-slices.ts'
import { equals } from '../sql/matches.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { bool, join, name, sql, text, uint64, uuid } from '../sql/sql.ts'
import type { IssueFilter, RankedIssue } from './issues.ts'

const row = z.object({ key: rowBigSum, otherIssueCount: rowCount })

/** About how many issues each issue `(other)` combines (Rule 82), by its reports in the window. */
export const countOtherIssues = (
  { tenantId, window, noise }: IssueFilter,
  others: readonly Pick<RankedIssue, 'key' | 'reportType'>[],
): Query<z.infer<typeof row>>[] =>
  others.flatMap(({ key, reportType }) => {
    const { issue } = reportTypeRows[reportType]
    if (!issue) return []
    const { subject, hostOf } = issue
    const ofSubject = typeof subject === 'string' ? name(storedFieldRows[subject].column) : text(subject.word)
    const ofHost = hostOf === 'blockedUrl' ? sql`blocked_host` : sql`domain(${name(storedFieldRows[hostOf].column)})`
    const conditions = [
      sql`tenant_id = ${uuid(tenantId)}`,
      sql`report_type = ${text(reportType)}`,
      sql`issue_key = ${uint64(key)}`,
      inRanges(rawTime, [window]),
      ...equals('noise', bool, noise),
    ]
    return [
      {
        name: 'countOtherIssues',
        statement: sql`
          SELECT ${text(String(key))} AS key, uniq(${ofSubject}, ${ofHost}) AS otherIssueCount
          FROM reports
          WHERE ${join(conditions, ' AND ')}`,
        row,
      },
    ]
  })
