// @ts-check
import { useApp } from '../app-context.js'
import { html } from '../html.js'

/**
 * A link to a changed view, without a load of the page.
 * @param {{ changes: Partial<import('../state.js').State>, current?: boolean, children?: any, [attribute: string]: any }} props
 */
export function Link({ changes, current, children, ...attributes }) {
  const { go, urlOf } = useApp()
  const onClick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return
    event.preventDefault()
    go(changes)
  }
  return html`<a href=${urlOf(changes)} onClick=${onClick} aria-current=${current ? 'page' : undefined} ...${attributes}>${children}</a>`
}
