/** The focus, at the same control while elements are replaced. */

const controlsIn = (element) => [...element.querySelectorAll('a, button, select, input')]

const keyOf = (control) => control.dataset.key || control.name || control.textContent

/** Where the control is gone, the focus is at its successor; without any, at the page's main part. */
export function keepingFocus(element, change) {
  const at = controlsIn(element).indexOf(document.activeElement)
  const key = at >= 0 && keyOf(document.activeElement)
  change()
  if (at < 0) return
  const controls = controlsIn(element)
  const next = controls.find((control) => keyOf(control) === key) ?? controls[Math.min(at, controls.length - 1)]
  focusOn(next ?? document.getElementById('view'))
}

export const focusOn = (element) => element.focus({ preventScroll: true })
