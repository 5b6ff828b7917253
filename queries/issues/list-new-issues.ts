import type { z } from 'zod'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, uint } from '../sql/sql.ts'
import { fromFirstSightings, type IssueOwner, isFirstSeenWithin } from './first-sightings.ts'
import { rankedIssue } from './list-issues.ts'

const row = rankedIssue.extend({ firstSeenEver: rowTime })

/**
 * Issues that are new within the window, most recently seen first. Reads no reports: the last sighting can be after the
 * window or expired.
 */
export const listNewIssues = (owner: IssueOwner, window: TimeRange, limit: number): Query<z.infer<typeof row>> => ({
  name: 'listNewIssues',
  statement: sql`
    SELECT
      toString(issue_key) AS key,
      site_id AS siteId,
      report_type AS reportType,
      first_seen_at AS firstSeenEver,
      last_seen_at AS lastSeen
    ${fromFirstSightings(owner, isFirstSeenWithin(window))}
    ORDER BY lastSeen DESC, issue_key
    LIMIT ${uint(limit)}`,
  row,
})
