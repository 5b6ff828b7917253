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
import { useList, useRead } from '../../use-read.ts'
import { DiffCard } from './diff-card.ts'
import { Changes, GradeBadge, ScanState } from './scan-badges.ts'

/** Scans of a page, and a comparison of two. */
export function Scans() {
  const { state } = useApp()
  const { pageId } = state.own
  const pages = useRead(request(state, '/v1/sites/{siteId}/pages', { limit: 100 }))
  const page = pages.body?.data.find(({ id }: any) => id === pageId)
  const list = useList(request(state, '/v1/sites/{siteId}/pages/{pageId}/scans', { pageId, limit: 50 }))
  const complete = list.rows.filter(({ status }) => status === 'complete')
  return html`<div class="title">
      <nav aria-label="Breadcrumb"><${Link} changes=${{ view: 'pages', own: {} }}>Pages<//> /</nav>
      <h1><${Text} text=${page?.label ?? 'Page'} /></h1>
      ${page && html`<div class="badges"><${Badge} word=${page.kind} tone=${page.kind === 'payment' ? 'accent' : ''} /><code class="muted"><${Text} text=${page.pattern} /></code></div>`}
    </div>
    ${complete.length > 1 && html`<${DiffCard} scans=${complete} />`}
    <${Card} id="scans" title="Scans" note="newest first" read=${list} foot=${html`<${ListFoot} list=${list} number=${number} />`} rows=${8}>
      ${
        list.rows.length === 0
          ? html`<${Empty} text="No scan in this window." />`
          : html`<${Table} caption="Scans" rows=${list.rows} keyOf=${({ id }: any) => id} columns=${columns(complete)} />`
      }
    <//>`
}

/** @param complete newest first */
const columns = (complete: any[]) => [
  { label: 'Scan', of: (scan: any) => html`<${ScanTime} ...${{ scan, complete }} />`, width: '150px' },
  { label: 'Grade', of: ({ grade }: any) => html`<${GradeBadge} grade=${grade} />`, width: '76px' },
  { label: 'Score', of: ({ score }: any) => number(score), numeric: true, width: '72px' },
  {
    label: 'State',
    of: (scan: any) =>
      scan.status === 'complete' ? html`<span class="muted">complete</span>` : html`<${ScanState} scan=${scan} />`,
    width: '150px',
  },
  { label: 'What changed', of: ({ changes }: any) => html`<${Changes} changes=${changes} />` },
  {
    label: 'URL fetched',
    isMinor: true,
    of: ({ finalUrl, scanUrl }: any) => html`<code><${Text} text=${finalUrl ?? scanUrl} /></code>`,
    width: '34%',
  },
]

/** A complete scan opens together with the previous complete scan. */
function ScanTime({ scan, complete }: any) {
  const { state } = useApp()
  const before = complete[complete.indexOf(scan) + 1]
  const time = html`<${Time} time=${scan.scannedAt} />`
  if (scan.status !== 'complete' || !before) return html`<span data-focus tabindex="0">${time}</span>`
  const own = { ...state.own, scanId: scan.id, otherId: before.id }
  return html`<${Link} changes=${{ view: 'pages', own }} data-focus data-key=${`scan ${scan.id}`} title="Compare with the previous scan">${time}<//>`
}
