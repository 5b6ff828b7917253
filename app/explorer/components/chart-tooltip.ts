import { html } from '../html.ts'
import { number, share } from './format.ts'
import { wholeTime } from './time.ts'
import { visible } from './value.ts'

/** All series of a bucket, their sum and their shares. */
export function ChartTooltip({ at: { index, left }, buckets, series, zone, isLast }: any) {
  const { time, reportCount } = buckets[index]
  const isRight = left > 420
  const place = isRight ? { right: `calc(100% - ${left}px + 12px)` } : { left: `${left + 12}px` }
  return html`<div class="tooltip" style=${place} aria-hidden="true">
    <p>${wholeTime(time, zone)}${isLast && html`<br /><span class="muted">not complete yet</span>`}</p>
    ${
      series.length > 1 &&
      html`<ul>${series.map(
        ({ value, reportCounts, color }: any) => html`<li key=${value}>
      <i style=${{ background: `var(${color})` }}></i><bdi>${value === null ? 'others' : value === '' ? '(none)' : visible(value)}</bdi>
      <b>${number(reportCounts[index])}</b><span class="muted">${share(reportCounts[index], reportCount)}</span>
    </li>`,
      )}</ul>`
    }
    <p><b>${number(reportCount)}</b> reports</p>
  </div>`
}
