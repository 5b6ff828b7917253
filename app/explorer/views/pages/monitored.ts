import { useApp } from '../../app-context.ts'
import { Badge } from '../../components/badge.ts'
import { Card } from '../../components/card.ts'
import { number } from '../../components/format.ts'
import { Link } from '../../components/link.ts'
import { Empty } from '../../components/states.ts'
import { ListFoot, Table } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { Text } from '../../components/value.ts'
import { html } from '../../html.ts'
import { request } from '../../requests.ts'
import { useList } from '../../use-read.ts'
import { Changes, GradeBadge, ScanState } from './scan-badges.ts'

export function Monitored() {
  const { state } = useApp()
  const list = useList(request(state, '/v1/sites/{siteId}/pages', { limit: 100 }))
  return html`<div class="title"><h1>Pages</h1></div>
    <${Card} id="pages" title="Monitored pages" read=${list} foot=${html`<${ListFoot} list=${list} number=${number} />`} rows=${4}>
      ${
        list.rows.length === 0
          ? html`<${Empty} text="No page of this site is monitored yet. Add pages with “pages add”; the worker scans them daily. PCI DSS 11.6.1 requires it for payment pages." />`
          : html`<${Table} caption="Monitored pages" rows=${list.rows} keyOf=${({ id }: any) => id} columns=${columns} />`
      }
    <//>`
}

const columns = [
  {
    label: 'Page',
    of: ({ id, label }: any) =>
      html`<${Link} class="plain" changes=${{ view: 'pages', own: { pageId: id } }} data-focus data-key=${`page ${id}`}><b><${Text} text=${label} /></b><//>`,
    width: '20%',
  },
  {
    label: 'Kind',
    of: ({ kind }: any) => html`<${Badge} word=${kind} tone=${kind === 'payment' ? 'accent' : ''} />`,
    width: '96px',
  },
  { label: 'Pattern', of: ({ pattern }: any) => html`<code><${Text} text=${pattern} /></code>` },
  { label: 'Grade', of: ({ latestScan }: any) => html`<${GradeBadge} grade=${latestScan?.grade} />`, width: '76px' },
  {
    label: 'Latest scan',
    of: ({ latestScan }: any) =>
      latestScan
        ? html`<${Time} time=${latestScan.scannedAt} /> <${ScanState} scan=${latestScan} />`
        : html`<span class="muted">none yet</span>`,
    width: '190px',
  },
  {
    label: 'What changed',
    isMinor: true,
    of: ({ latestScan }: any) => html`<${Changes} changes=${latestScan?.changes} />`,
    width: '18%',
  },
]
