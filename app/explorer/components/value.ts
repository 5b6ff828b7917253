import { filterable } from '../../../schema/filterable.ts'
import { useApp } from '../app-context.ts'
import { html } from '../html.ts'
import { type Operator, withValue } from '../state.ts'

/** Control and direction characters, which could disguise a text. */
const invisible = /([\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}])/u

const escapeOf = (character: string) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`

export const visible = (text: string) =>
  text
    .split(invisible)
    .map((part, at) => (at % 2 === 1 ? escapeOf(part) : part))
    .join('')

/** Parts of a long text: words, paths, parameters, and escapes of URLs. A scheme stays with its host. */
const parts = /(?<=\s)(?=\S)|(?<=[?&;,=]|(?<!:\/?)\/)(?=[^/?&;,=\s])|(?=%[\dA-Fa-f]{2})/

/** Break positions; a part such as a host wraps as a whole unless the line is too short. */
const breaks = /(?<=[.\-:_/])(?=[^.\-:_/\s])/

/** Longer parts fill their lines. */
const mostWhole = 40

/** @param part with the space after it */
function partOf(part: string) {
  const text = part.trimEnd()
  const pieces = text.split(breaks).map((piece, at) => (at === 0 ? piece : html`<wbr />${piece}`))
  const isWhole = pieces.length > 1 && text.length <= mostWhole
  return [isWhole ? html`<span class="whole">${pieces}</span>` : pieces, part.slice(text.length)]
}

/**
 * Untrusted text: isolated in its direction, with visible control characters, only as text nodes. `empty` is shown
 * for an empty text
 */
export function Text({ text, empty = '–' }: { text?: string | number | null; empty?: string }) {
  if (text === null || text === undefined || text === '') return html`<span class="muted">${empty}</span>`
  const shown = String(text)
    .split(invisible)
    .map((run, at) =>
      at % 2 === 1
        ? html`<span class="escape" title="An invisible character">${escapeOf(run)}</span>`
        : run.split(parts).map((part, index) => (index === 0 ? partOf(part) : html`<wbr />${partOf(part)}`)),
    )
  return html`<bdi>${shown}</bdi>`
}

/** True if the API's filters accept a text: only printable ASCII. */
export const isFilterable = (text: string) => filterable.test(text)

/** A page or a script, without the scheme that nearly all have. */
export const Url = ({ url, empty }: { url?: string | null; empty?: string }) =>
  html`<${Text} text=${url?.replace(/^https:\/\/(?=.)/, '')} empty=${empty} />`

/**
 * A value that filters: click for "only", the control next to it for "not". `changes` of the view in addition to the
 * filter; `isRow`: the row's value, which gets the focus
 */
export function Value({
  name,
  value,
  label,
  changes,
  isRow = false,
  hasFocus = isRow,
  'data-key': key,
}: {
  name: string
  value: string
  label?: any
  changes?: object
  isRow?: boolean
  hasFocus?: boolean
  'data-key'?: string
}) {
  const { state, go } = useApp()
  if (!isFilterable(value))
    return html`<span class="value"><span class="only" data-key=${key}>${label ?? html`<${Text} text=${value} />`}</span></span>`
  const filter = (operator: Operator) =>
    go({ conditions: withValue(state.conditions, name, operator, value), ...changes })
  const text = value === '' ? 'none' : visible(value)
  return html`<span class="value">
    <button type="button" class="only" data-focus=${hasFocus} data-only=${isRow} data-key=${key} title=${`Only ${name} ${text}`} onClick=${() => filter('any')}>
      ${label ?? html`<${Text} text=${value} empty="(none)" />`}
    </button>
    <button type="button" class="not" tabindex="-1" data-not=${isRow} aria-label=${`Not ${name} ${text}`} title=${`Not ${name} ${text}`} onClick=${() => filter('not')}>≠</button>
  </span>`
}

/** Filters of a row whose own control opens it. */
export function RowFilter({ name, value }: { name: string; value: string }) {
  const { state, go } = useApp()
  if (!isFilterable(value)) return null
  const filter = (operator: Operator) => go({ conditions: withValue(state.conditions, name, operator, value) })
  const text = value === '' ? 'none' : visible(value)
  return html`<span class="row-filter">
    <button type="button" tabindex="-1" data-only title=${`Only ${name} ${text} (x)`} aria-label=${`Only ${name} ${text}`} onClick=${() => filter('any')}>=</button>
    <button type="button" tabindex="-1" data-not title=${`Not ${name} ${text} (n)`} aria-label=${`Not ${name} ${text}`} onClick=${() => filter('not')}>≠</button>
  </span>`
}
