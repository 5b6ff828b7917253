// @ts-check
import { curlOf } from '../api.js'
import { useApp } from '../app-context.js'
import { save, toNdjson } from '../components/download.js'
import { Menu, MenuItem } from '../components/menu.js'
import { html } from '../html.js'
import { request } from '../requests.js'
import { typeOf } from '../state.js'

const maxCopied = 12

/** Requests of the panels that are shown. */
const targets = () =>
  [
    ...new Set(
      [...document.querySelectorAll('#view [data-target]')].map((element) => element.getAttribute('data-target') ?? ''),
    ),
  ].slice(0, maxCopied)

/** The view as curl lines, its reports as CSV or its list as NDJSON, and on paper. */
export function MoreMenu() {
  const { api, state, announce } = useApp()
  const list = () => targets().find((target) => /^\/v1\/(?!reports)/.test(target))
  const run = (close, work) => async () => {
    close()
    try {
      await work()
    } catch (error) {
      announce(`It failed and nothing was saved: ${/** @type {Error} */ (error).message}`)
    }
  }
  const copy = async () => {
    await navigator.clipboard.writeText(targets().map(curlOf).join('\n'))
    announce('Copied as curl, with the key as $KEY')
  }
  const csv = async () => {
    announce('Reading the reports…')
    save(await api.blob(request(state, '/v1/reports/export', { format: 'csv' })), `${typeOf(state)}.csv`)
    announce('Saved')
  }
  const ndjson = async () => {
    const items = await api.all(list(), (count) => announce(`${count} read…`))
    save(toNdjson(items), `${state.view}.ndjson`)
    announce('Saved')
  }
  return html`<${Menu} end label="⋯" name="More" data-key="more">
    ${(close) => html`
      <${MenuItem} pick=${run(close, copy)}>Copy as curl<//>
      ${list() ? html`<${MenuItem} pick=${run(close, ndjson)}>Export as NDJSON<//>` : html`<${MenuItem} pick=${run(close, csv)}>Export reports as CSV<//>`}
      <${MenuItem} pick=${run(close, async () => window.print())}>Print<//>`}
  <//>`
}
