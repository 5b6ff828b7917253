// @ts-check
import { Dialog } from '../components/dialog.js'
import { html } from '../html.js'
import { keys } from '../keyboard.js'

/** Keys of the page. @param {{ close: () => void }} props */
export const Help = ({ close }) =>
  html`<${Dialog} title="Keyboard" close=${close}>
    <dl class="keys">${keys.map(([key, text]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}</dl>
  <//>`
