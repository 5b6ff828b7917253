// @ts-check
import { useApp } from '../app-context.js'
import { html } from '../html.js'
import { applies } from '../requests.js'
import { views } from '../views.js'
import { conditionText } from './chip.js'

/** Placeholder of the first load, as high as the expected content. @param {{ rows?: number }} props */
export const Loading = ({ rows = 4 }) =>
  html`<div class="loading" aria-busy="true"><span class="unseen">Loading</span>
    ${Array.from({ length: rows }, (_, at) => html`<div key=${at} class="skeleton"></div>`)}
  </div>`

/** @param {{ error: any, retry?: () => void }} props */
export const ErrorState = ({ error, retry }) =>
  html`<div class="state" role="alert">
    <p>${error.message}</p>
    ${error.requestId && html`<p class="muted">Request <code>${error.requestId}</code></p>`}
    ${retry && html`<button type="button" class="control" onClick=${retry}>Try again</button>`}
  </div>`

/** Empty state, with filters that can be removed. @param {{ text?: string }} props */
export function Empty({ text = 'Nothing in this window.' }) {
  const { state, go } = useApp()
  const path = views[state.view].path ?? ''
  const dropped = state.conditions.filter((condition) => applies(state, path, condition))
  const without = (condition) => go({ conditions: state.conditions.filter((one) => one !== condition) })
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
