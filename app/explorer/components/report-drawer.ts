import { dimensionsOf } from '../../../schema/report-types.ts'
import { useApp } from '../app-context.ts'
import { html } from '../html.ts'
import { request } from '../requests.ts'
import { useRead } from '../use-read.ts'
import { Copy } from './copy.ts'
import { Dialog } from './dialog.ts'
import { labelOfType } from './format.ts'
import { Time } from './time.ts'
import { Text, Value } from './value.ts'

const long = ['policy', 'stack', 'message', 'sample', 'context', 'rest']

/** Milliseconds since the epoch, which are the start of a report's id. */
const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** The report in the URL, from the rows at first, then with all that the browser sent. */
export function OpenedReport({ rows, reportType }: { rows: any[]; reportType: string }) {
  const { state, go } = useApp()
  const { reportId } = state.own
  const listed = rows.find(({ id }) => id === reportId)
  const ms = timeOf(reportId ?? '')
  const window = ms > 0 && { from: new Date(ms).toISOString(), to: new Date(ms + 1).toISOString() }
  const whole = { ...state, conditions: [], noise: 'include' as const }
  const read = useRead(
    window
      ? request(whole, '/v1/reports', { reportType, last: undefined, ...window, limit: 200, details: 'true' })
      : undefined,
  )
  if (!reportId) return null
  const report = read.body?.data.find(({ id }: any) => id === reportId) ?? listed
  const close = () => go({ own: { ...state.own, reportId: '' } }, { replace: true })
  if (report) return html`<${ReportDrawer} report=${report} close=${close} />`
  if (read.isLoading) return null
  return html`<${Dialog} class="drawer" title="Report" close=${close}>
    <p>${read.error?.message ?? 'This report is not stored or has another type.'}</p>
  <//>`
}

/** A report with all its fields; values can be used as filters here too. */
function ReportDrawer({ report, close }: { report: any; close: () => void }) {
  const { sites } = useApp()
  const dimensions: readonly string[] = dimensionsOf(report.reportType)
  const present = Object.entries(report).filter(([, value]) => value !== null && value !== '')
  const missing = Object.entries(report).filter(([, value]) => value === null || value === '')
  const shown = (name: string, value: any) => {
    if (name === 'siteId') return html`<${Text} text=${sites.find(({ id }) => id === value)?.name ?? value} />`
    if (name === 'receivedAt' || name === 'anticipatedRemoval') return html`<${Time} time=${value} />`
    if (long.includes(name)) return html`<pre tabindex="0"><${Text} text=${value} /></pre>`
    if (dimensions.includes(name)) return html`<${Value} name=${name} value=${String(value)} />`
    return html`<code><${Text} text=${String(value)} /></code>`
  }
  return html`<${Dialog} class="drawer" title=${`Report: ${labelOfType(report.reportType)}`} close=${close}>
    <dl class="fields">
      ${present.map(([name, value]) => html`<div key=${name} class=${long.includes(name) ? 'long' : ''}><dt>${name}</dt><dd>${shown(name, value)}</dd></div>`)}
    </dl>
    ${missing.length > 0 && html`<p class="muted">Not reported: ${missing.map(([name]) => name).join(', ')}</p>`}
    <p class="buttons"><${Copy} label="Copy as JSON" text=${() => JSON.stringify(report, null, 2)} /></p>
  <//>`
}
