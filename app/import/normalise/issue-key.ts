import { storedTypeRows } from '../../../schema/report-types.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { urlComponents } from './url-components.ts'

/** Subject and host of an issue; both '' if the type has no issues. */
type IssueKey = Pick<StoredReport, 'issueSubject' | 'issueHost'>

const none: IssueKey = { issueSubject: '', issueHost: '' }

/** Needs the report's other fields. */
export function issueKey(report: StoredReport): IssueKey {
  const rule = storedTypeRows[report.reportType].issue
  if (!rule) return none
  const issueSubject = typeof rule.subject === 'string' ? report[rule.subject] : rule.subject.word
  // `blockedHost` is also a keyword or a bare scheme.
  const issueHost = rule.hostOf === 'blockedUrl' ? report.blockedHost : urlComponents(report[rule.hostOf]).host
  return { issueSubject, issueHost }
}
