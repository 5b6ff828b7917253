import { html } from '../html.ts'
import { labelOfType } from './format.ts'
import { Text } from './value.ts'

/** Sentence about an issue: "img-src blocked https://…". */
export function IssueSentence({
  issue: { reportType, subject, targetHost },
}: {
  issue: { reportType: string; subject: string; targetHost: string }
}) {
  const text = (value: string) => html`<code><${Text} text=${value} empty="(unknown)" /></code>`
  if (reportType === 'csp-violation') return html`${text(subject)} blocked ${text(targetHost)}`
  const parts = [subject, targetHost].filter(Boolean)
  return html`${labelOfType(reportType)}: ${parts.map((part, at) => html`${at > 0 && ' of '}${text(part)}`)}${parts.length === 0 && '(unknown)'}`
}
