// @ts-check
import { useApp } from '../app-context.js'
import { html } from '../html.js'
import { Inventory } from './scripts/inventory.js'
import { Script } from './scripts/script.js'

/** The inventory, or one of its scripts. */
export const View = () => (useApp().state.own.scriptId ? html`<${Script} />` : html`<${Inventory} />`)
