// @ts-check
import { useApp } from '../app-context.js'
import { html } from '../html.js'
import { Monitored } from './pages/monitored.js'
import { Scans } from './pages/scans.js'

/** Monitored pages, or the scans of one. */
export const View = () => (useApp().state.own.pageId ? html`<${Scans} />` : html`<${Monitored} />`)
