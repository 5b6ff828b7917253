import { z } from 'zod'
import { findIssue } from '../../../queries/issues/issue-details.ts'
import type { IssueFilter } from '../../../queries/issues/issues.ts'
import type { Reader } from '../../../queries/sql/query.ts'
import { keyOfIssueId } from '../../../schema/issue-id.ts'
import { oneOf, uuid } from '../../../schema/params.ts'
import { Problem } from '../../../schema/problems.ts'
import { issueTypeNames } from '../../../schema/report-types.ts'
import type { TimeRange } from '../../../schema/rules/time/time-range.ts'
import type { Caller } from '../../pipeline/authenticator.ts'

/** Parameters of operations on one issue. */
export const issueParams = {
  pathParams: {
    siteId: uuid('The site'),
    issueId: z.string().meta({
      description: 'The id of the issue; send its `reportType` too unless it is csp-violation',
      examples: ['8d5e957f29789348'],
    }),
  },
  query: { reportType: oneOf(issueTypeNames, 'The report type of the issue').default('csp-violation') },
} as const

interface IssueRequest extends Pick<Reader, 'read'> {
  readonly caller: Pick<Caller, 'tenant'>
  readonly params: {
    readonly siteId: string
    readonly issueId: string
    readonly reportType: IssueFilter['reportTypes'][number]
  }
  readonly window: TimeRange
}

/** The issue's key and its days, the latest first. Throws not_found for an issue without reports. */
export async function readIssue({ caller, params: { siteId, issueId, reportType }, window, read }: IssueRequest) {
  const issueKey = keyOfIssueId(issueId)
  const filter = { tenantId: caller.tenant.id, window, siteId, reportTypes: [reportType] }
  const days = issueKey === undefined ? [] : await read(findIssue(filter, issueKey))
  if (issueKey === undefined || days.length === 0) {
    throw new Problem('not_found', 'There is no such issue of that report type')
  }
  return { filter, issueKey, days }
}
