import { z } from 'zod'
import { countIssues, type IssueFilter, type IssuePosition, type RankedIssue } from '../../../queries/issues/issues.ts'
import { onlyRow } from '../../../queries/sql/rows.ts'
import { addition } from '../../../schema/additions.ts'
import { dayMs } from '../../../schema/durations.ts'
import { type IssueConditions, issueFilterAdditions } from '../../../schema/issue-filter.ts'
import { issueId } from '../../../schema/issue-id.ts'
import { flag } from '../../../schema/params.ts'
import { issueTypeNames, reportTypeRows } from '../../../schema/report-types.ts'
import { count, listResponse } from '../../../schema/responses/common.ts'
import { issue } from '../../../schema/responses/issue.ts'
import { confidence } from '../../../schema/rules/confidence.ts'
import type { TimeRange } from '../../../schema/rules/time/time-range.ts'
import { estimate, isSampled } from '../../../schema/rules/weights.ts'
import type { Caller } from '../../pipeline/authenticator.ts'
import { cursorTime } from '../../pipeline/cursor.ts'
import { listPage, type SortKey } from '../../pipeline/page.ts'
import { windows } from '../../pipeline/windows.ts'
import { uint64Text } from '../groups/volume-position.ts'
import { type FoundIssue, type IssueReader, readIssues } from './read-issues.ts'

export const issuePosition: SortKey<Pick<RankedIssue, 'lastSeen' | 'key'>, IssuePosition> = {
  schema: z.object({ lastSeen: cursorTime, key: uint64Text }),
  from: ({ lastSeen, key }) => ({ lastSeen: Date.parse(lastSeen), key: String(key) }),
}

export const issueListing = {
  window: windows.weekByDefault,
  page: { ...listPage, position: issuePosition },
  cache: 'until-import',
  response: listResponse(issue, {
    issueCount: count.optional().meta({ description: 'With `total=true`: number of issues in the window.' }),
  }),
} as const

interface Page extends IssueReader {
  readonly caller: Pick<Caller, 'tenant'>
  readonly window: TimeRange
}

/** Parameters that the contract lacks. */
export const issueListAdditions = {
  ...issueFilterAdditions,
  total: addition(flag('If true, also return `issueCount`, the number of issues in the window')),
}

interface Selection {
  readonly siteId?: string | undefined
  readonly reportType?: IssueFilter['reportTypes'] | undefined
  readonly total?: z.output<typeof issueListAdditions.total>
}

export async function readIssuePage(
  { caller, window, ...reader }: Page,
  { siteId, reportType: reportTypes = issueTypeNames, total }: Selection,
  { isNew, ...conditions }: IssueConditions,
) {
  const owner = { tenantId: caller.tenant.id, siteId, reportTypes }
  const filter: IssueFilter = { ...conditions, ...owner, ...(isNew ? onlyNew(window) : { window }) }
  const listed = readIssues(reader, filter)
  const [{ issues, paging }, issueCount] = await Promise.all([
    listed,
    total === 'true' ? countAll(reader, filter, listed) : undefined,
  ])
  return { data: issues.map(toIssue), ...(issueCount !== undefined && { issueCount }), ...paging }
}

/** There are few new issues: the first page usually has all of them, and counting them costs as much as that page. */
async function countAll({ page, read }: IssueReader, filter: IssueFilter, listed: ReturnType<typeof readIssues>) {
  if (filter.firstSeenIn && !page.after) {
    const { issues, paging } = await listed
    if (paging.nextCursor === null) return issues.length
  }
  return onlyRow(await read(countIssues(filter))).issueCount
}

/** A new issue has no report from before the window, so that its first day needs no raw rows. */
const onlyNew = (window: TimeRange) => ({
  firstSeenIn: window,
  window: { ...window, from: Math.floor(window.from / dayMs) * dayMs },
})

function toIssue(found: FoundIssue): z.input<typeof issue> {
  const { key, siteId, reportType, subject, targetHost, senders, firstSeenEver, otherIssueCount } = found
  const { issue: rule, dimensions } = reportTypeRows[reportType]
  const isOfBlockedHost = rule?.hostOf === 'blockedUrl' && dimensions.includes('blockedHost')
  return {
    id: issueId(key),
    siteId,
    reportType,
    subject,
    targetHost,
    directive: (rule?.subject === 'directive' && subject) || null,
    blockedHost: (isOfBlockedHost && targetHost) || null,
    reportCount: found.reportCount,
    estimatedReportCount: estimate(found),
    sampled: isSampled(found),
    affectedPages: found.affectedPages,
    browserFamilyCount: found.browserFamilyCount,
    confidence: confidence(senders),
    firstSeen: found.firstSeen,
    lastSeen: found.lastSeen,
    ...(firstSeenEver !== undefined && { firstSeenEver }),
    ...(otherIssueCount !== undefined && { otherIssueCount }),
  }
}
