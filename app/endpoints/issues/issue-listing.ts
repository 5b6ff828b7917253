import { z } from 'zod'
import { listFirstSightings } from '../../../queries/issues/first-sightings.ts'
import type { IssueFilter } from '../../../queries/issues/issue-groups.ts'
import { type IssueDetails, listIssueDetails } from '../../../queries/issues/list-issue-details.ts'
import { countIssues, type IssuePosition, listIssues, type RankedIssue } from '../../../queries/issues/list-issues.ts'
import { confidence, type IssueSenders } from '../../../queries/rules/confidence.ts'
import { estimate, isSampled } from '../../../queries/rules/weights.ts'
import { onlyRow } from '../../../queries/sql/only-row.ts'
import { addition } from '../../../schema/additions.ts'
import { type IssueConditions, issueFilterAdditions } from '../../../schema/issue-filter.ts'
import { issueId } from '../../../schema/issue-id.ts'
import { flag } from '../../../schema/params.ts'
import { issueTypeNames, reportTypeRows } from '../../../schema/report-types.ts'
import { count, listResponse } from '../../../schema/responses/common.ts'
import { issue } from '../../../schema/responses/issue.ts'
import { cursorTime } from '../../pipeline/cursor.ts'
import type { HandlerContext } from '../../pipeline/endpoint.ts'
import { listPage, type SortKey } from '../../pipeline/page.ts'
import { windows } from '../../pipeline/windows.ts'
import { uint64Text } from '../groups/volume-position.ts'
import { withDetails } from '../groups/with-details.ts'

export const issuePosition: SortKey<Pick<RankedIssue, 'lastSeen' | 'key'>, IssuePosition> = {
  schema: z.object({ lastSeen: cursorTime, key: uint64Text }),
  from: ({ lastSeen, key }) => ({ lastSeen: Date.parse(lastSeen), key: String(key) }),
}

export const issueListing = {
  window: windows.weekByDefault,
  page: { ...listPage, position: issuePosition },
  cache: 'until-import',
  response: listResponse(issue, {
    issueCount: count.optional().meta({ description: 'With `total=true`: issues of the window.' }),
  }),
} as const

type Page = Pick<
  HandlerContext<unknown, unknown, typeof issueListing.window, typeof issueListing.page>,
  'caller' | 'window' | 'page' | 'read' | 'readAll'
>

/** Parameters that the contract lacks. */
export const issueListAdditions = {
  ...issueFilterAdditions,
  total: addition(flag('With true, `issueCount`: the number of issues in the window, whatever the page')),
}

interface Selection {
  readonly siteId?: string | undefined
  readonly reportType?: IssueFilter['reportTypes'] | undefined
  readonly total?: z.output<typeof issueListAdditions.total>
}

export async function readIssuePage(
  { caller, window, page, read, readAll }: Page,
  { siteId, reportType: reportTypes = issueTypeNames, total }: Selection,
  { isNew, ...conditions }: IssueConditions,
) {
  const owner = { tenantId: caller.tenant.id, siteId, reportTypes }
  const filter: IssueFilter = { ...conditions, ...owner, window, firstSeenIn: isNew ? window : undefined }
  let ranked: RankedIssue[] = []
  for (const list of listIssues(filter, page.after, page.rows)) {
    ranked = await read(list)
    if (ranked.length === page.rows) break
  }
  const { data, ...paging } = page.cut(ranked)
  const [details, senders, sightings, counts] = await Promise.all([
    readAll(listIssueDetails(filter, data)),
    filter.noise === undefined ? undefined : readAll(listIssueDetails({ ...filter, noise: undefined }, data)),
    isNew ? readAll(listFirstSightings(owner, data)) : undefined,
    total === 'true' ? read(countIssues(filter)) : undefined,
  ])
  const sendersOf = new Map(senders?.map((found) => [found.key, found]))
  const firstSeenOf = new Map(sightings?.map(({ key, firstSeenEver }) => [key, { firstSeenEver }]))
  const issues = withDetails(data, details).map((found) => ({
    ...toIssue(found, sendersOf.get(found.key) ?? found),
    ...firstSeenOf.get(found.key),
  }))
  return { data: issues, ...(counts && onlyRow(counts)), ...paging }
}

/** @param senders of all of its reports. */
function toIssue(found: RankedIssue & IssueDetails, senders: IssueSenders): z.input<typeof issue> {
  const { key, siteId, reportType, subject, targetHost } = found
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
  }
}
