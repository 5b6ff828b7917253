import { useApp } from '../app-context.ts'
import { number } from '../components/format.ts'
import { arrowSteps } from '../components/menu.ts'
import { visible } from '../components/value.ts'
import { html, useEffect, useRef, useState } from '../html.ts'
import { request, takes } from '../requests.ts'
import type { Condition, Operator } from '../state.ts'
import { dimensionsOf, filterNames, typeOf } from '../state.ts'
import { useRead } from '../use-read.ts'

const searchMs = 150

/** Filters of the view's operation. */
function namesOf(state: any, path: string) {
  const taken = filterNames.filter((name) => takes(path, `${name}.any`))
  if (!takes(path, 'directive')) return taken
  const own = dimensionsOf(state)
  return [
    ...own.filter((name) => taken.includes(name)),
    ...taken.filter((name) => name === 'page' && !own.includes(name)),
  ]
}

/** First the dimension, then its values. */
export function FilterPicker({ path, edited, close }: { path: string; edited?: Condition; close: () => void }) {
  const { state } = useApp()
  const [name, setName] = useState(edited?.name ?? '')
  if (name)
    return html`<${ValuePicker} key=${name} path=${path} name=${name} first=${edited?.operator ?? 'any'} close=${close} />`
  const options = namesOf(state, path).map((one) => ({ value: one, label: one, pick: () => setName(one) }))
  return html`<${Options} label="Filter by" filter options=${options} />`
}

function ValuePicker({ path, name, first, close }: { path: string; name: string; first: Operator; close: () => void }) {
  const { state, go } = useApp()
  const [operator, setOperator] = useState(first === 'contains' ? 'any' : first)
  const [part, setPart] = useState('')
  const hasValues = takes(path, 'directive') || !['confidence'].includes(name)
  const dimension = takes(path, 'directive') ? name : { subject: 'directive', targetHost: 'blockedHost' }[name]
  const others = { ...state, conditions: state.conditions.filter((one) => one.name !== name) }
  const target =
    dimension && hasValues
      ? request(others, '/v1/reports/values', {
          dimension,
          contains: part || undefined,
          limit: 20,
          reportType: typeOf(state),
        })
      : undefined
  const read = useRead(target)
  const chosen = state.conditions.find((one) => one.name === name && one.operator === operator)?.values ?? []
  const set = (kind: Operator, values: string[]) => {
    const kept = state.conditions.filter((one) => one.name !== name || one.operator !== kind)
    go({ conditions: values.length > 0 ? [...kept, { name, operator: kind, values }] : kept })
  }
  const toggle = (value: string) =>
    set(operator, chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value])
  const fixed = name === 'confidence' ? ['high', 'medium', 'low', 'suppressed'].map((value) => ({ value })) : undefined
  const values = (fixed ?? read.body?.data ?? []).filter(({ value }: any) => !fixed || value.includes(part))
  const canContain = takes(path, `${name}.contains`)
  const contain = (text: string) => {
    set('contains', [text])
    close()
  }
  const label = html`contains “<b>${visible(part)}</b>”`
  const contained = canContain && part ? [{ value: `contains ${part}`, label, pick: () => contain(part) }] : []
  const options = values.map(({ value, reportCount }: any) => ({
    value: `= ${value}`,
    label: html`<bdi>${value === '' ? '(none)' : visible(value)}</bdi>`,
    note: reportCount === undefined ? '' : number(reportCount),
    isChosen: chosen.includes(value),
    pick: (isEnter: any) => {
      toggle(value)
      if (isEnter) close()
    },
  }))
  const kinds = [['any', 'is'], ...(takes(path, `${name}.not`) ? [['not', 'is not']] : [])]
  return html`<div class="segments" role="group" aria-label=${`${name}: condition`}>
      <b>${name}</b>
      ${kinds.map(([kind, text]) => html`<button key=${kind} type="button" aria-pressed=${operator === kind ? 'true' : 'false'} onClick=${() => setOperator(kind as any)}>${text}</button>`)}
    </div>
    <${Options} label=${`${name}: value`} onSearch=${setPart} options=${[...contained, ...options]} isBusy=${read.isLoading || read.isStale} pickTyped=${canContain ? contain : undefined} />`
}

/** A text field over a list of options; arrows move, Enter picks. */
function Options({
  label,
  filter = false,
  onSearch,
  options,
  isBusy = false,
  pickTyped,
}: {
  label: string
  filter?: boolean
  onSearch?: (text: string) => void
  isBusy?: boolean
  pickTyped?: (text: string) => void
  options: { value: string; label: any; note?: string; isChosen?: boolean; pick: (isEnter: boolean) => void }[]
}) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const input = useRef<HTMLInputElement | null>(null)
  useEffect(() => input.current?.focus(), [])
  useEffect(() => {
    const timer = setTimeout(() => onSearch?.(text), searchMs)
    return () => clearTimeout(timer)
  }, [text])
  const shown = filter ? options.filter(({ value }) => value.toLowerCase().includes(text.toLowerCase())) : options
  const active = Math.min(at, shown.length - 1)
  const onKeyDown = (event: any) => {
    const step = arrowSteps[event.key]
    if (step) {
      event.preventDefault()
      event.stopPropagation()
      setAt((active + step + shown.length) % Math.max(1, shown.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      // The text just typed counts, even before its search finishes.
      if (active <= 0 && text && pickTyped) pickTyped(text)
      else shown[active]?.pick(true)
    }
  }
  return html`<input ref=${input} type="text" role="combobox" aria-expanded="true" aria-controls="options" aria-label=${label} placeholder=${label} autocomplete="off"
      aria-activedescendant=${shown.length > 0 ? `option-${active}` : undefined} value=${text}
      onInput=${({ target }: any) => {
        setText(target.value)
        setAt(0)
      }} onKeyDown=${onKeyDown} />
    <ul id="options" class="options" role="listbox" aria-label=${label} aria-busy=${isBusy ? 'true' : undefined}>
      ${shown.map(
        (
          { value, label: shownLabel, note, isChosen, pick },
          index,
        ) => html`<li key=${value} id=${`option-${index}`} role="option" class=${index === active ? 'active' : ''}
        aria-selected=${isChosen ? 'true' : 'false'} onClick=${() => pick(false)} onMouseDown=${(event: any) => event.preventDefault()}>
        <span>${isChosen ? '✓ ' : ''}${shownLabel}</span><span class="muted">${note}</span>
      </li>`,
      )}
      ${shown.length === 0 && !isBusy && html`<li class="muted" role="option" aria-disabled="true" aria-selected="false">No match</li>`}
    </ul>`
}
