import { useApp } from '../app-context.ts'
import { html } from '../html.ts'

/** Copies a text and confirms it briefly. */
export function Copy({
  text,
  label,
  what = label,
  class: className = 'control',
}: {
  text: string | (() => string)
  label: string
  what?: string
  class?: string
}) {
  const { announce } = useApp()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'function' ? text() : text)
      announce(`Copied: ${what}`)
    } catch {
      announce('The browser did not allow copying')
    }
  }
  return html`<button type="button" class=${className} onClick=${copy}>${label}</button>`
}
