import { useApp } from '../app-context.ts'
import { html } from '../html.ts'
import type { State } from '../state.ts'

/** A link to a changed view, without a load of the page. */
export function Link({
  changes,
  current,
  children,
  ...attributes
}: {
  changes: Partial<State>
  current?: boolean
  children?: any
  [attribute: string]: any
}) {
  const { go, urlOf } = useApp()
  const onClick = (event: any) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return
    event.preventDefault()
    go(changes)
  }
  return html`<a href=${urlOf(changes)} onClick=${onClick} aria-current=${current ? 'page' : undefined} ...${attributes}>${children}</a>`
}
