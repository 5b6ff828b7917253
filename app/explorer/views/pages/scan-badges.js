// @ts-check
import { Badge } from '../../components/badge.js'
import { words } from '../../components/format.js'
import { html } from '../../html.js'

/** Tone of a grade. */
const tones = { 'A+': 'good', A: 'good', B: 'warn', C: 'warn', D: 'bad', F: 'bad' }

/** @param {{ grade?: string | null }} props */
export const GradeBadge = ({ grade }) =>
  grade
    ? html`<${Badge} word=${grade} label=${grade} tone=${tones[grade] ?? ''} />`
    : html`<span class="muted">–</span>`

/** A failed scan with its reason; nothing for a complete one. @param {{ scan: any }} props */
export const ScanState = ({ scan: { status, failureReason, failureMessage, consecutiveFailures } }) =>
  status === 'complete'
    ? null
    : html`<${Badge} word=${status} title=${failureMessage} label=${`${words(failureReason ?? status)}${consecutiveFailures > 1 ? ` × ${consecutiveFailures}` : ''}`} tone="bad" />`

/** Changes that a scan found, as text. @param {{ changes?: any }} props */
export function Changes({ changes }) {
  const { headers = [], gradeDroppedFrom = null } = changes ?? {}
  if (headers.length === 0 && !gradeDroppedFrom) return html`<span class="muted">–</span>`
  return html`<span class="kind">
    ${gradeDroppedFrom && html`<${Badge} word="dropped" tone="bad" label=${`grade dropped from ${gradeDroppedFrom}`} />`}
    ${headers.map(({ header, change }) => html`<span key=${header}><code>${header}</code> ${change}</span>`)}
  </span>`
}
