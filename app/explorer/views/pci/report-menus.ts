/** @module The moment that the view is of, and the report of that moment as files. */

import { useApp } from '../../app-context.ts'
import { save } from '../../components/download.ts'
import { Menu, MenuItem } from '../../components/menu.ts'
import { html, useState } from '../../html.ts'
import { request } from '../../requests.ts'
import { utc } from './sentences.ts'

export const reportPath = '/v1/compliance/pci-dss/report'

/** Now, or the start of a day in UTC. */
export function AsOfMenu() {
  const { state, go } = useApp()
  const { asOf } = state.own
  const [day, setDay] = useState(asOf?.slice(0, 10) ?? '')
  const pick = (time: any, close: () => void) => {
    go({ own: { asOf: time } })
    close()
  }
  const apply = (event: any, close: any) => {
    event.preventDefault()
    pick(new Date(`${day}T00:00:00Z`).toISOString(), close)
  }
  return html`<${Menu} end label=${html`As of ${asOf ? utc(asOf) : 'now'} <span aria-hidden="true">▾</span>`} name=${`As of ${asOf ? utc(asOf) : 'now'}`} data-key="as-of">
    ${(close: any) => html`
      <${MenuItem} current=${!asOf} pick=${() => pick(undefined, close)}>Now<//>
      <form class="dates" onSubmit=${(event: any) => apply(event, close)}>
        <label><span>Day</span><input type="date" required max=${new Date().toISOString().slice(0, 10)} value=${day} onInput=${({ target }: any) => setDay(target.value)} /></label>
        <button type="submit" class="control">Show the start of the day (UTC)</button>
      </form>`}
  <//>`
}

const files: [label: string, parameters: Record<string, string>, ending: string][] = [
  ['Page to print (HTML)', { format: 'html' }, '.html'],
  ['Evidence with its hash (JSON)', {}, '.json'],
  ['Scripts as CSV', { format: 'csv', table: 'scripts' }, '-scripts.csv'],
  ['Changes as CSV', { format: 'csv', table: 'changes' }, '-changes.csv'],
]

export function ReportMenu() {
  const { api, state, announce } = useApp()
  const { asOf } = state.own
  const fetchFile = async (parameters: any, ending: string) => {
    try {
      const day = (asOf ?? new Date().toISOString()).slice(0, 10)
      save(await api.blob(request(state, reportPath, { asOf, ...parameters })), `pci-dss-${day}${ending}`)
      announce('Saved')
    } catch (error) {
      announce(`Export failed: ${(error as Error).message}`)
    }
  }
  return html`<${Menu} end label=${html`Report <span aria-hidden="true">▾</span>`} name="Report" data-key="report">
    ${(close: () => void) =>
      files.map(
        ([label, parameters, ending]) =>
          html`<${MenuItem} key=${label} pick=${() => {
            close()
            fetchFile(parameters, ending)
          }}>${label}<//>`,
      )}
  <//>`
}
