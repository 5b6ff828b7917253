// @ts-check
import { html } from '../html.js'
import { labelOfType } from './format.js'
import { Text } from './value.js'

/**
 * Sentence about an issue: "img-src blocked https://…".
 * @param {{ issue: { reportType: string, subject: string, targetHost: string } }} props
 */
export function IssueSentence({ issue: { reportType, subject, targetHost } }) {
  const text = (value) => html`<code><${Text} text=${value} empty="(unknown)" /></code>`
  if (reportType === 'csp-violation') return html`${text(subject)} blocked ${text(targetHost)}`
  const parts = [subject, targetHost].filter(Boolean)
  return html`${labelOfType(reportType)}: ${parts.map((part, at) => html`${at > 0 && ' of '}${text(part)}`)}${parts.length === 0 && '(unknown)'}`
}
