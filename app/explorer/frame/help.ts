import { Dialog } from '../components/dialog.ts'
import { html } from '../html.ts'
import { keys } from '../keyboard.ts'

/** Keys of the page. */
export const Help = ({ close }: { close: () => void }) =>
  html`<${Dialog} title="Keyboard" close=${close}>
    <dl class="keys">${keys.map(([key, text]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}</dl>
  <//>`
