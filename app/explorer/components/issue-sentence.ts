import { html } from '../html.ts'
import { counted, labelOfType } from './format.ts'
import { Text } from './value.ts'

/** Sentence about an issue: "img-src blocked https://…". */
export function IssueSentence({
  issue: { reportType, subject, targetHost, otherIssueCount },
}: {
  issue: { reportType: string; subject: string; targetHost: string; otherIssueCount?: number }
}) {
  if (otherIssueCount !== undefined)
    return html`${labelOfType(reportType)}: about ${counted(otherIssueCount, 'new issue')} above the limit of a day`
  const text = (value: string) => html`<code><${Text} text=${value} empty="(unknown)" /></code>`
  if (reportType === 'csp-violation') return html`${text(subject)} blocked ${text(targetHost)}`
  const parts = [subject, targetHost].filter(Boolean)
  return html`${labelOfType(reportType)}: ${parts.map((part, at) => html`${at > 0 && ' of '}${text(part)}`)}${parts.length === 0 && '(unknown)'}`
}
