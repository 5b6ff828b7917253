import { html } from '../html.ts'
import { number, share } from './format.ts'

/** A bar behind a row; its length is the share of the largest value. */
export const ShareBar = ({ part, of }: { part: number; of: number }) =>
  html`<span class="share" aria-hidden="true" style=${{ width: `${of > 0 ? Math.min(100, Math.max(0.5, (part / of) * 100)) : 0}%` }}></span>`

/** One bar of several parts, each with its line below. */
export function PartsBar({
  parts,
}: {
  parts: { label: string; count: number; tone: 'good' | 'warn' | 'bad' | 'rest' }[]
}) {
  const sum = parts.reduce((before, { count }) => before + count, 0)
  return html`<div class="parts" role="img" aria-label=${parts.map(({ label, count }) => `${label}: ${number(count)}`).join(', ')}>
      ${parts.filter(({ count }) => count > 0).map(({ label, count, tone }) => html`<span key=${label} class=${tone} style=${{ flexGrow: String(count) }}></span>`)}
    </div>
    <dl class="facts">
      ${parts.map(({ label, count }) => html`<div key=${label}><dt>${label}</dt><dd title=${share(count, sum)}>${number(count)}</dd></div>`)}
    </dl>`
}
