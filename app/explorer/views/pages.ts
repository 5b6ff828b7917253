import { useApp } from '../app-context.ts'
import { html } from '../html.ts'
import { Monitored } from './pages/monitored.ts'
import { Scans } from './pages/scans.ts'

/** Monitored pages, or the scans of one. */
export const View = () => (useApp().state.own.pageId ? html`<${Scans} />` : html`<${Monitored} />`)
