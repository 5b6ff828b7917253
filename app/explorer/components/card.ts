import { useApp } from '../app-context.ts'
import { html } from '../html.ts'
import type { Read } from '../use-read.ts'
import { ErrorState, Loading } from './states.ts'

/**
 * A panel with title, request and state. The last body stays visible, faded, until the next arrives. `children`:
 * content once there is a body, or a function of the body; `rows`: height of the first load
 */
export function Card({
  id,
  title,
  note,
  tools,
  foot,
  read,
  rows,
  class: className = '',
  children,
}: {
  id: string
  title: any
  note?: any
  tools?: any
  foot?: any
  read?: Read
  rows?: number
  class?: string
  children?: any
}) {
  const { api } = useApp()
  const retry = () => api.get(read?.target ?? '').catch(() => {})
  const hasBody = !read || read.body !== undefined
  const content = () => {
    if (read?.error && (!hasBody || read.error.status >= 400))
      return html`<${ErrorState} error=${read.error} retry=${retry} />`
    if (!hasBody) return read.isLoading ? html`<${Loading} rows=${rows} />` : null
    return typeof children === 'function' ? children(read?.body) : children
  }
  return html`<section id=${id} class=${`card ${className} ${read?.isStale ? 'stale' : ''}`} aria-labelledby=${`${id}-title`} aria-busy=${read?.isStale ? 'true' : undefined} tabindex="-1" data-target=${read?.target}>
    <div class="card-head">
      <div><h2 id=${`${id}-title`}>${title}</h2>${note && html`<span class="note">${note}</span>`}</div>
      ${tools && html`<div class="tools">${tools}</div>`}
    </div>
    ${content()}
    ${foot && hasBody && html`<div class="card-foot">${foot}</div>`}
  </section>`
}
