import { Badge } from '../../components/badge.ts'
import { words } from '../../components/format.ts'
import { html } from '../../html.ts'

/** Tone of a grade. */
const tones: Readonly<Record<string, string>> = { 'A+': 'good', A: 'good', B: 'warn', C: 'warn', D: 'bad', F: 'bad' }

export const GradeBadge = ({ grade }: { grade?: string | null }) =>
  grade
    ? html`<${Badge} word=${grade} label=${grade} tone=${tones[grade] ?? ''} />`
    : html`<span class="muted">–</span>`

/** A failed scan with its reason; nothing for a complete one. */
export const ScanState = ({ scan: { status, failureReason, failureMessage, consecutiveFailures } }: { scan: any }) =>
  status === 'complete'
    ? null
    : html`<${Badge} word=${status} title=${failureMessage} label=${`${words(failureReason ?? status)}${consecutiveFailures > 1 ? ` × ${consecutiveFailures}` : ''}`} tone="bad" />`

/** Changes that a scan found, as text. */
export function Changes({ changes }: { changes?: any }) {
  const { headers = [], gradeDroppedFrom = null } = changes ?? {}
  if (headers.length === 0 && !gradeDroppedFrom) return html`<span class="muted">–</span>`
  return html`<span class="kind">
    ${gradeDroppedFrom && html`<${Badge} word="dropped" tone="bad" label=${`grade dropped from ${gradeDroppedFrom}`} />`}
    ${headers.map(({ header, change }: any) => html`<span key=${header}><code>${header}</code> ${change}</span>`)}
  </span>`
}
