// @ts-check
import { html } from '../html.js'
import { labelOfType } from './format.js'
import { Text } from './value.js'

/** What an issue is, in a sentence: "img-src blocked https://…". @param {{ issue: { reportType: string, subject: string, targetHost: string } }} props */
export function IssueSentence({ issue: { reportType, subject, targetHost } }) {
  const text = (value) => html`<code><${Text} text=${value} empty="(unknown)" /></code>`
  if (reportType === 'csp-violation') return html`${text(subject)} blocked ${text(targetHost)}`
  return html`${labelOfType(reportType)}: ${text(subject)}${targetHost && html` of ${text(targetHost)}`}`
}
