import { useApp } from '../app-context.ts'
import { Badge } from '../components/badge.ts'
import { Card } from '../components/card.ts'
import { Copy } from '../components/copy.ts'
import { Table } from '../components/table.ts'
import { Time } from '../components/time.ts'
import { Text } from '../components/value.ts'
import { html } from '../html.ts'
import { collectorUrl } from '../operations.ts'
import { request } from '../requests.ts'
import { useRead } from '../use-read.ts'

/** Reporting headers of a site by kind: latest report, headers of the last scan, and lines to set. */
export function View() {
  const { state } = useApp()
  const read = useRead(request(state, '/v1/sites/{siteId}/setup', { collector: collectorUrl }))
  const scan = read.body?.data.scan
  const note = scan
    ? html`scan of <${Text} text=${scan.url} />, <${Time} time=${scan.scannedAt} />`
    : read.body && 'No scan has recorded these headers: add a page with “pages add”'
  return html`<div class="title"><h1>Setup</h1></div>
    <${Card} id="setup" title="Reporting headers" note=${note} read=${read} rows=${12}>
      ${({ data }: any) => html`<${Table} caption="Reporting headers" rows=${data.kinds} keyOf=${({ kind }: any) => kind} columns=${columns} />`}
    <//>`
}

const tones: Readonly<Record<string, string>> = { ok: 'good', wrong: 'bad', missing: 'warn' }

const columns = [
  {
    label: 'Kind',
    of: ({ kind, about }: any) => html`<b data-focus tabindex="0">${kind}</b><p class="muted">${about}</p>`,
    width: '20%',
  },
  {
    label: 'State',
    of: ({ state }: any) => html`<${Badge} word=${state} tone=${tones[state] ?? ''} />`,
    width: '96px',
  },
  { label: 'Last report', of: ({ lastReportAt }: any) => html`<${Time} time=${lastReportAt} />`, width: '120px' },
  {
    label: 'Received by the scan',
    isMinor: true,
    of: ({ headers }: any) =>
      headers.map(
        ({ name, value }: any) => html`<p key=${name}><code><${Text} text=${`${name}: ${value}`} /></code></p>`,
      ),
    width: '26%',
  },
  {
    label: 'To set',
    of: ({ kind, problems, lines }: any) => html`
      ${lines.length > 0 && html`<${Copy} label="Copy" what=${`the headers of ${kind}`} text=${lines.join('\n')} />`}
      ${problems.map(({ message }: any) => html`<p key=${message} class="bad"><${Text} text=${message} /></p>`)}
      ${lines.map((line: string) => html`<p key=${line}><code><${Text} text=${line} /></code></p>`)}
      ${lines.some((line: string) => line.includes("'nonce-*'")) && html`<p class="muted">Replace <code>'nonce-*'</code> with the nonce of each response.</p>`}`,
  },
]
