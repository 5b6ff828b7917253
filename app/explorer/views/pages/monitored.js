// @ts-check
import { useApp } from '../../app-context.js'
import { Badge } from '../../components/badge.js'
import { Card } from '../../components/card.js'
import { number } from '../../components/format.js'
import { Link } from '../../components/link.js'
import { Empty } from '../../components/states.js'
import { ListFoot, Table } from '../../components/table.js'
import { Time } from '../../components/time.js'
import { Text } from '../../components/value.js'
import { html } from '../../html.js'
import { request } from '../../requests.js'
import { useList } from '../../use-read.js'
import { Changes, GradeBadge, ScanState } from './scan-badges.js'

export function Monitored() {
  const { state } = useApp()
  const list = useList(request(state, '/v1/sites/{siteId}/pages', { limit: 100 }))
  return html`<div class="title"><h1>Pages</h1></div>
    <${Card} id="pages" title="Monitored pages" read=${list} foot=${html`<${ListFoot} list=${list} number=${number} />`} rows=${4}>
      ${
        list.rows.length === 0
          ? html`<${Empty} text="No page of this site is monitored yet. Add pages with “pages add”; the worker scans them daily. PCI DSS 11.6.1 requires it for payment pages." />`
          : html`<${Table} caption="Monitored pages" rows=${list.rows} keyOf=${({ id }) => id} columns=${columns} />`
      }
    <//>`
}

const columns = [
  {
    label: 'Page',
    of: ({ id, label }) =>
      html`<${Link} class="plain" changes=${{ view: 'pages', own: { pageId: id } }} data-focus data-key=${`page ${id}`}><b><${Text} text=${label} /></b><//>`,
    width: '20%',
  },
  {
    label: 'Kind',
    of: ({ kind }) => html`<${Badge} word=${kind} tone=${kind === 'payment' ? 'accent' : ''} />`,
    width: '96px',
  },
  { label: 'Pattern', of: ({ pattern }) => html`<code><${Text} text=${pattern} /></code>` },
  { label: 'Grade', of: ({ latestScan }) => html`<${GradeBadge} grade=${latestScan?.grade} />`, width: '76px' },
  {
    label: 'Latest scan',
    of: ({ latestScan }) =>
      latestScan
        ? html`<${Time} time=${latestScan.scannedAt} /> <${ScanState} scan=${latestScan} />`
        : html`<span class="muted">none yet</span>`,
    width: '190px',
  },
  {
    label: 'What changed',
    isMinor: true,
    of: ({ latestScan }) => html`<${Changes} changes=${latestScan?.changes} />`,
    width: '18%',
  },
]
