// @ts-check
import { html } from '../html.js'

export const View = () => html`<h1>Not drawn yet</h1>`
