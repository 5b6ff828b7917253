// @ts-check
import { html } from '../html.js'
import { visible } from './value.js'

/** @typedef {import('../state.js').Condition} Condition */

const operatorWords = { any: 'is', not: 'is not', contains: 'contains' }

/** @param {Condition} condition */
const valuesText = ({ values }) => values.map((value) => (value === '' ? '(none)' : visible(value))).join(', ')

/** @param {Condition} condition */
export const conditionText = (condition) =>
  `${condition.name} ${operatorWords[condition.operator]} ${valuesText(condition)}`

/**
 * A filter in words; its values open the picker.
 * @param {{ condition: Condition, isIdle: boolean, edit: () => void, remove: () => void }} props `isIdle`: the view has no such filter
 */
export function Chip({ condition, isIdle, edit, remove }) {
  const { name, operator } = condition
  const text = conditionText(condition)
  const title = isIdle ? `${text}: not a filter of this view` : text
  return html`<li data-row data-key=${`chip ${name} ${operator}`} class=${`chip ${operator} ${isIdle ? 'idle' : ''}`} title=${title}>
    <button type="button" class="edit" data-focus aria-label=${`Change filter: ${text}`} onClick=${edit}>
      <span>${name}</span>${' '}<span>${operatorWords[operator]}</span>${' '}<b><bdi>${valuesText(condition)}</bdi></b>
    </button>
    <button type="button" class="remove" aria-label=${`Remove filter: ${text}`} onClick=${remove}>✕</button>
  </li>`
}
