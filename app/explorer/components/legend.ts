import { html } from '../html.ts'
import { colorOf } from './chart.ts'
import { Value, visible } from './value.ts'

/** Series of a chart: the mark hides one, and its value is a filter. */
export const Legend = ({
  series,
  dimension,
  note,
  hidden,
  toggle,
}: {
  series: any[]
  dimension: string
  note?: any
  hidden: Set<string | null>
  toggle: (value: string | null) => void
}) =>
  html`<div class="legend">
    <ul>${series.map((one, rank) => {
      const { value } = one
      const isHidden = hidden.has(value)
      const name = value === null ? 'others' : value === '' ? 'none' : visible(value)
      return html`<li key=${value} class=${isHidden ? 'hidden' : ''}>
      <button type="button" class="mark" aria-pressed=${isHidden ? 'false' : 'true'} aria-label=${`Draw ${name}`} title=${`${isHidden ? 'Draw' : 'Hide'} ${name}`}
        data-key=${`series ${value}`} onClick=${() => toggle(value)}><i style=${{ background: `var(${colorOf(one, rank)})` }}></i></button>
      ${value === null ? html`<span class="muted">others</span>` : html`<${Value} name=${dimension} value=${value} />`}
    </li>`
    })}</ul>
    ${note && html`<span class="muted">${note}</span>`}
  </div>`
