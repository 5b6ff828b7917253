import { useApp } from '../app-context.ts'
import { html } from '../html.ts'
import { Inventory } from './scripts/inventory.ts'
import { Script } from './scripts/script.ts'

/** The inventory, or one of its scripts. */
export const View = () => (useApp().state.own.scriptId ? html`<${Script} />` : html`<${Inventory} />`)
