/** @module A page of issues: first their keys, then their details. */

import { listFirstSightings } from '../../../queries/issues/first-sightings.ts'
import { type IssueDetails, listIssueDetails } from '../../../queries/issues/issue-details.ts'
import {
  type IssueFilter,
  type IssuePosition,
  listIssues,
  listNewIssues,
  type RankedIssue,
} from '../../../queries/issues/issues.ts'
import { countOtherIssues } from '../../../queries/issues/other-issues.ts'
import type { Reader } from '../../../queries/sql/query.ts'
import { hourMs } from '../../../schema/durations.ts'
import { otherIssues } from '../../../schema/issue-id.ts'
import type { IssueSenders } from '../../../schema/rules/confidence.ts'
import type { Page } from '../../pipeline/page.ts'
import { withDetails } from '../groups/with-details.ts'

export interface IssueReader extends Reader {
  readonly page: Page<Pick<RankedIssue, 'lastSeen' | 'key'>, IssuePosition>
}

export interface FoundIssue extends RankedIssue, IssueDetails {
  /** Senders of all its reports. */
  readonly senders: IssueSenders
  /** Set in a list of new issues. */
  readonly firstSeenEver?: string | undefined
  /** Set in an issue `(other)`. */
  readonly otherIssueCount?: number | undefined
}

/**
 * The first page of new issues is ranked without reading reports, unless an issue was seen after the window or has
 * expired. Not tried for past windows, after which most issues were seen again.
 */
export async function readIssues(reader: IssueReader, filter: IssueFilter) {
  const { page, read } = reader
  const isUntilNow = filter.window.to > Date.now() - hourMs
  if (filter.firstSeenIn && isUntilNow && !page.after && !hasConditions(filter)) {
    const newest = await read(listNewIssues(filter, filter.firstSeenIn, page.rows))
    const areInWindow = newest.every(({ lastSeen }) => Date.parse(lastSeen) < filter.window.to)
    const found = areInWindow ? await readDetails(reader, filter, newest) : undefined
    if (found?.areAsRanked) return found
  }
  return readDetails(reader, filter, await rank(reader, filter))
}

const hasConditions = ({ subject = [], targetHost = [], confidence, noise }: IssueFilter) =>
  subject.length > 0 || targetHost.length > 0 || confidence !== undefined || noise !== undefined

async function rank({ page, read }: IssueReader, filter: IssueFilter): Promise<RankedIssue[]> {
  let ranked: RankedIssue[] = []
  for (const list of listIssues(filter, page.after, page.rows)) {
    ranked = await read(list)
    if (ranked.length === page.rows) break
  }
  return ranked
}

async function readDetails(
  { page, readAll }: IssueReader,
  { firstSeenIn, ...filter }: IssueFilter,
  ranked: readonly (RankedIssue & { readonly firstSeenEver?: string })[],
) {
  const { data, ...paging } = page.cut(ranked)
  const unsighted = firstSeenIn ? data.filter(({ firstSeenEver }) => firstSeenEver === undefined) : []
  const [details, all, sightings] = await Promise.all([
    readAll(listIssueDetails(filter, data)),
    filter.noise === undefined ? [] : readAll(listIssueDetails({ ...filter, noise: undefined }, data)),
    readAll(listFirstSightings(filter.tenantId, unsighted)),
  ])
  const sendersOf = new Map(all.map((found) => [found.key, found]))
  const sightingOf = new Map(sightings.map((found) => [found.key, found]))
  const lastSeenOf = new Map(data.map(({ key, lastSeen }) => [key, lastSeen]))
  const found = withDetails(data, details)
  const others = await readAll(
    countOtherIssues(
      filter,
      found.filter(({ subject }) => subject === otherIssues),
    ),
  )
  const otherOf = new Map(others.map((other) => [other.key, other]))
  const issues = found.map(({ key, ...one }): FoundIssue => {
    const senders = sendersOf.get(key) ?? one
    return { key, ...one, ...sightingOf.get(key), ...otherOf.get(key), senders }
  })
  const areAsRanked =
    issues.length === data.length && issues.every(({ key, lastSeen }) => lastSeen === lastSeenOf.get(key))
  return { issues, paging, areAsRanked }
}
