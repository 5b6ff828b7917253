import { storedTypeRows } from '../../../schema/report-types.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { urlParts } from './url-parts.ts'

/** What makes reports of a type one issue (decisions, Issues); '' both where the type makes none. */
type IssueKey = Pick<StoredReport, 'issueSubject' | 'issueHost'>

const none: IssueKey = { issueSubject: '', issueHost: '' }

/** The issue of a report whose other fields are read. */
export function issueKey(report: StoredReport): IssueKey {
  const rule = storedTypeRows[report.reportType].issue
  if (!rule) return none
  const issueSubject = typeof rule.subject === 'string' ? report[rule.subject] : rule.subject.word
  // A keyword or a bare scheme stands for the host of what was blocked.
  const issueHost = rule.hostOf === 'blockedUrl' ? report.blockedHost : urlParts(report[rule.hostOf]).host
  return { issueSubject, issueHost }
}
