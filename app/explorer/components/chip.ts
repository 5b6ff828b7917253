import { html } from '../html.ts'
import type { Condition } from '../state.ts'
import { visible } from './value.ts'

const operatorWords = { any: 'is', not: 'is not', contains: 'contains' }

const valuesText = ({ values }: Condition) =>
  values.map((value) => (value === '' ? '(none)' : visible(value))).join(', ')

export const conditionText = (condition: Condition) =>
  `${condition.name} ${operatorWords[condition.operator]} ${valuesText(condition)}`

/** A filter in words; its values open the picker. `isIdle`: the view has no such filter */
export function Chip({
  condition,
  isIdle,
  edit,
  remove,
}: {
  condition: Condition
  isIdle: boolean
  edit: () => void
  remove: () => void
}) {
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
