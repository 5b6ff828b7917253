// @ts-check
import { html } from '../html.js'
import { colorOf } from './chart.js'
import { Value } from './value.js'

/** Series of a chart, of which each value is a filter. @param {{ series: any[], dimension: string, note?: any }} props */
export const Legend = ({ series, dimension, note }) =>
  html`<div class="legend">
    <ul>${series.map(
      (one, rank) => html`<li key=${one.value}>
      <i style=${{ background: `var(${colorOf(one, rank)})` }}></i>
      ${one.value === null ? html`<span class="muted">others</span>` : html`<${Value} name=${dimension} value=${one.value} />`}
    </li>`,
    )}</ul>
    ${note && html`<span class="muted">${note}</span>`}
  </div>`
