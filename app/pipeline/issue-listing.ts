import { z } from 'zod'
import type { IssueQuestion } from '../../queries/issues/issues.ts'
import { type IssueDetails, listIssueDetails } from '../../queries/issues/list-issue-details.ts'
import { type CountedIssue, listIssues } from '../../queries/issues/list-issues.ts'
import { confidence } from '../../queries/rules/confidence.ts'
import { issueId } from '../../queries/rules/issue-id.ts'
import { estimate, isSampled } from '../../queries/rules/weights.ts'
import { issue } from '../../schema/replies/issue.ts'
import { issueTypeNames, reportTypeRows } from '../../schema/report-types.ts'
import type { Asked } from '../endpoint.ts'
import { issuePosition, positionOfIssue } from './issue-position.ts'
import { listPage } from './page.ts'

/** What the list of all issues and that of one site's are declared with alike. */
export const issueListing = {
  window: { defaultDays: 7, maxDays: 31 },
  page: { ...listPage, position: issuePosition },
  spends: ['key', 'tenant'],
  reply: z.object({ data: z.array(issue), nextCursor: z.string().nullable() }),
} as const

type Page = Pick<
  Asked<Record<never, never>, Record<never, never>, unknown, typeof issueListing.window, z.infer<typeof issuePosition>>,
  'caller' | 'window' | 'page' | 'read' | 'readAll'
>

/** A page of issues, of one site or of all. */
export async function pageOfIssues(
  { caller, window, page, read, readAll }: Page,
  siteId: string | undefined,
  reportTypes: IssueQuestion['reportTypes'] = issueTypeNames,
) {
  const question = { tenantId: caller.tenant.id, window, siteId, reportTypes }
  const { data, nextCursor } = page.cut(await read(listIssues(question, page.after, page.rows)), positionOfIssue)
  const details = await readAll(listIssueDetails(question, data))
  const detailsOf = new Map(details.map((row) => [row.key, row]))
  // An issue whose last rows went with retention in between is none.
  const issues = data.flatMap((counted) => toIssue(counted, detailsOf.get(counted.key)) ?? [])
  return { data: issues, nextCursor }
}

function toIssue(counted: CountedIssue, details: IssueDetails | undefined): z.input<typeof issue> | undefined {
  if (!details) return undefined
  const { reportType, subject, targetHost, browserFamilyCount } = details
  const { carries } = reportTypeRows[reportType]
  return {
    id: issueId(counted.issueKey),
    siteId: details.siteId,
    reportType,
    subject,
    targetHost,
    directive: (carries.includes('directive') && subject) || null,
    blockedHost: (carries.includes('blockedHost') && targetHost) || null,
    reportCount: counted.reportCount,
    estimatedReportCount: estimate(counted),
    sampled: isSampled(counted),
    affectedPages: details.affectedPages,
    browserFamilyCount,
    confidence: confidence({ ...counted, browserFamilyCount }),
    firstSeen: counted.firstSeen,
    lastSeen: counted.lastSeen,
  }
}
