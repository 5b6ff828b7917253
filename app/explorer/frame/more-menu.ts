import { curlOf } from '../api.ts'
import { useApp } from '../app-context.ts'
import { save, toNdjson } from '../components/download.ts'
import { Menu, MenuItem } from '../components/menu.ts'
import { html } from '../html.ts'
import { request } from '../requests.ts'
import { typeOf } from '../state.ts'

/** Panels that are shown: their requests and titles. */
const panels = () =>
  [...document.querySelectorAll('#view [data-target]')].map((element) => ({
    target: element.getAttribute('data-target') ?? '',
    title: element.querySelector('h2')?.textContent ?? '',
  }))

const targets = () => [...new Set(panels().map(({ target }) => target))]

/** The view as curl lines, its reports as CSV, its lists as NDJSON, and on paper. */
export function MoreMenu() {
  const { api, state, announce } = useApp()
  const isList = ({ target }: any) =>
    Array.isArray(api.peek(target)?.page?.body.data) && !/^\/v1\/reports\b/.test(target)
  // Panels that belong to a list, such as its totals, come first.
  const lists = () => [
    ...new Map(
      panels()
        .filter(isList)
        .map((panel) => [panel.target, panel]),
    ).values(),
  ]
  const hasReports = () => targets().some((target) => /^\/v1\/reports\b/.test(target)) && !state.own.issueId
  const run = (close: () => void, work: any) => async () => {
    close()
    try {
      await work()
    } catch (error) {
      announce(`Export failed: ${(error as Error).message}`)
    }
  }
  const copy = async () => {
    await navigator.clipboard.writeText(targets().map(curlOf).join('\n'))
    announce('Copied as curl, with the key as $KEY')
  }
  const csv = async () => {
    announce('Loading reports…')
    save(await api.blob(request(state, '/v1/reports/export', { format: 'csv' })), `${typeOf(state)}.csv`)
    announce('Saved')
  }
  const ndjson = async ({ target, title }: any) => {
    const items = await api.all(target, (count) => announce(`${count} read…`))
    save(toNdjson(items), `${title.toLowerCase().replaceAll(' ', '-')}.ndjson`)
    announce('Saved')
  }
  return html`<${Menu} end label="⋯" name="More" data-key="more">
    ${(close: any) => html`
      <${MenuItem} pick=${run(close, copy)}>Copy as curl<//>
      ${hasReports() && html`<${MenuItem} pick=${run(close, csv)}>Export reports as CSV<//>`}
      ${lists().map((panel) => html`<${MenuItem} key=${panel.target} pick=${run(close, () => ndjson(panel))}>Export “${panel.title}” as NDJSON<//>`)}
      <${MenuItem} pick=${run(close, async () => window.print())}>Print<//>`}
  <//>`
}
