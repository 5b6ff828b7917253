/** @module Restores the focus after an element is removed, and after back and forward. */

/** Key that identifies an element. */
const keyOf = (element: any) => element?.closest?.('[data-key]')?.dataset.key ?? ''

const find = (key: any) =>
  ([...document.querySelectorAll('[data-key]')] as HTMLElement[]).find(({ dataset }) => dataset.key === key)

/** The control of a row, or the element itself. */
const controlOf = (element: any) => (element?.matches('[data-row]') && element.querySelector('[data-focus]')) || element

export function focusOn(element: any) {
  const control = controlOf(element)
  if (control?.matches('h1')) control.tabIndex = -1
  control?.focus({ preventScroll: control.matches('h1, main') })
}

/** The row and list of the latest focus, and its position in the list. */
let last = { element: document.body, list: null as Element | null, rank: 0 }

/** The view has the focus until its heading is drawn. */
let awaitsHeading = false

/** Key of the element to focus when it is drawn. */
let wanted = ''

/** Remembers in the history which element has the focus, before the view changes. */
export function rememberFocus() {
  history.replaceState({ focus: keyOf(document.activeElement) }, '')
}

/** Restores the focus after back or forward. */
export function restoreFocus(state: any) {
  wanted = state?.focus ?? ''
}

/** The element to focus may not be rendered yet. */
const isReading = () => document.querySelector('[aria-busy=true], #view:empty') !== null

function settle() {
  const element = wanted && find(wanted)
  if (element) {
    wanted = ''
    return focusOn(element)
  }
  if (wanted && isReading()) return
  wanted = ''
  const view = document.getElementById('view')
  const heading = view?.querySelector('h1')
  if (awaitsHeading && heading && document.activeElement === view) return focusOn(heading)
  if (document.activeElement !== document.body || last.element.isConnected) return
  const isListed = last.list?.isConnected
  const rows = isListed ? [...(last.list?.querySelectorAll('[data-row]') ?? [])] : []
  const next =
    rows[Math.min(last.rank, rows.length - 1)] ?? (isListed && last.list?.closest('section')) ?? heading ?? view
  focusOn(next || heading || view)
  awaitsHeading = document.activeElement === view
}

/** Keeps the focus in the page for its life. */
export function watchFocus() {
  document.addEventListener('focusin', ({ target }) => {
    const element = target as HTMLElement
    if (wanted && keyOf(element) !== wanted) wanted = ''
    const list = element.closest('[data-rows]')
    const row = element.closest('[data-row]')
    const rank = list && row ? [...list.querySelectorAll('[data-row]')].indexOf(row) : 0
    last = { element, list, rank }
  })
  new MutationObserver(settle).observe(document.body, { childList: true, subtree: true })
}
