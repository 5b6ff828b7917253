import { useApp } from '../app-context.ts'
import { html } from '../html.ts'
import { applies } from '../requests.ts'
import { views } from '../views.ts'
import { conditionText } from './chip.ts'

/** Placeholder of the first load, as high as the expected content. */
export const Loading = ({ rows = 4 }: { rows?: number }) =>
  html`<div class="loading" aria-busy="true"><span class="unseen">Loading</span>
    ${Array.from({ length: rows }, (_, at) => html`<div key=${at} class="skeleton"></div>`)}
  </div>`

export const ErrorState = ({ error, retry }: { error: any; retry?: () => void }) =>
  html`<div class="state" role="alert">
    <p>${error.message}</p>
    ${error.requestId && html`<p class="muted">Request <code>${error.requestId}</code></p>`}
    ${retry && html`<button type="button" class="control" onClick=${retry}>Try again</button>`}
  </div>`

/** Empty state, with filters that can be removed. */
export function Empty({ text = 'Nothing in this window.' }: { text?: string }) {
  const { state, go } = useApp()
  const path = views[state.view]?.path ?? ''
  const dropped = state.conditions.filter((condition) => applies(state, path, condition))
  const without = (condition: any) => go({ conditions: state.conditions.filter((one) => one !== condition) })
  return html`<div class="state">
    <p class="muted">${text}</p>
    ${
      dropped.length > 0 &&
      html`<p>${dropped.map(
        (
          condition,
        ) => html`<button key=${conditionText(condition)} type="button" class="control" onClick=${() => without(condition)}>
      Drop ${conditionText(condition)}
    </button>`,
      )}</p>`
    }
  </div>`
}
