import { Badge } from '../../components/badge.ts'
import { Card } from '../../components/card.ts'
import { number, words } from '../../components/format.ts'
import { Link } from '../../components/link.ts'
import { Table } from '../../components/table.ts'
import { Text } from '../../components/value.ts'
import { html, useState } from '../../html.ts'
import type { Read } from '../../use-read.ts'
import { Changes, GradeBadge } from '../pages/scan-badges.ts'
import { StatusBadge } from '../scripts/script-badges.ts'
import { utc } from './sentences.ts'

const shownScripts = 12

/** Evidence of the verdicts. On paper all rows are shown. */
export function EvidenceCards({ data: { evidence }, read }: { data: any; read: Read }) {
  const { scripts, pages, changes, suggestions } = evidence
  const [isWhole, setWhole] = useState(false)
  const foot =
    scripts.length > shownScripts &&
    html`<span class="muted">${number(isWhole ? scripts.length : shownScripts)} of ${number(scripts.length)}</span>
      <button type="button" class="link-button" aria-expanded=${isWhole ? 'true' : 'false'} onClick=${() => setWhole(!isWhole)}>${isWhole ? 'Fewer' : 'All'}</button>`
  const numbered = new Map(pages.map(({ id }: any, at: number) => [id, at + 1]))
  return html`<${Card} id="scripts" class=${isWhole ? '' : 'shortened'} title="Scripts of payment pages" note=${number(scripts.length)} read=${read} foot=${foot}>
      ${scripts.length === 0 ? html`<p class="pad muted">None.</p>` : html`<${Table} caption="Scripts of payment pages" rows=${scripts} keyOf=${({ id }: any) => id} columns=${scriptColumns(numbered)} />`}
    <//>
    <${Card} id="payment-pages" title="Payment pages" note=${number(pages.length)} read=${read}>
        ${pages.length === 0 ? html`<p class="pad muted">None.</p>` : html`<${Table} caption="Payment pages" rows=${pages} keyOf=${({ id }: any) => id} columns=${pageColumns(numbered)} />`}
    <//>
    <${Card} id="changes" title="Changes" note=${`${number(changes.length)} in the last 30 days, newest first`} read=${read}>
        ${changes.length === 0 ? html`<p class="pad muted">None.</p>` : html`<${Table} caption="Changes" rows=${changes} keyOf=${({ scanId }: any) => scanId} columns=${changeColumns} />`}
    <//>
    ${
      suggestions.length > 0 &&
      html`<${Card} id="suggestions" title="Pages that may be payment pages" note="most reports in the last 30 days" read=${read}>
        <${Table} caption="Suggestions" rows=${suggestions} keyOf=${({ url }: any) => url} columns=${suggestionColumns} />
      <//>`
    }`
}

const small = (text: any) => html`<small class="muted">${text}</small>`

/** An identifier that is shown only on paper. */
const idText = (id: string) => html`<small class="muted paper-only">${id}</small>`

const scriptColumns = (numbered: any) => [
  {
    label: 'Script',
    of: ({ id, url }: any) =>
      html`<${Link} class="plain" changes=${{ view: 'scripts', own: { scriptId: id } }} data-focus data-key=${`script ${id}`}><code><${Text} text=${url} /></code><//> ${idText(id)}`,
  },
  {
    label: 'Decision',
    of: (script: any) => html`<${Decision} ...${script} />`,
    width: '34%',
  },
  {
    label: 'Integrity',
    of: ({
      coverage: { state, decidedBy, lastUnprotectedAt, mode },
      uninventoriedUnprotected,
    }: any) => html`<${Badge} word=${state} title=${decidedBy && `Known by ${decidedBy}`} />${decidedBy && html`<small class="paper-only"> by ${decidedBy}</small>`}${' '}
      ${small(
        [
          lastUnprotectedAt && `last ${utc(lastUnprotectedAt)}${mode ? ` (${mode})` : ''}`,
          uninventoriedUnprotected > 0 && `${number(uninventoriedUnprotected)} more from this host`,
        ]
          .filter(Boolean)
          .join('; '),
      )}`,
    width: '22%',
  },
  {
    label: 'Pages',
    title: 'Numbers of the payment pages listed below',
    of: ({ paymentPages }: any) =>
      html`<span title=${paymentPages.map(({ label }: any) => label).join(', ')}>${paymentPages.map(({ pageId }: any) => numbered.get(pageId) ?? '?').join(', ')}</span>`,
    width: '72px',
  },
]

function Decision({ status, integrityMode, justification, decidedBy, decidedAt, stillRunning }: any) {
  return html`<${StatusBadge} status=${status} /> ${stillRunning && html`<${Badge} word="still_running" tone="bad" />`}
    ${integrityMode && html` <span class="muted">${words(integrityMode)}</span>`}
    ${justification && html` <${Text} text=${justification} />`}
    ${decidedBy && html` ${small(html`<${Text} text=${decidedBy.name ? `${decidedBy.name}, ${decidedBy.email}` : decidedBy.email} />, ${utc(decidedAt)}`)}`}`
}

const pageColumns = (numbered: any) => [
  {
    label: 'Page',
    of: ({
      id,
      label,
      scanUrl,
    }: any) => html`${numbered.get(id)}. <${Link} class="plain" changes=${{ view: 'pages', own: { pageId: id } }} data-focus data-key=${`page ${id}`}><b><${Text} text=${label} /></b><//>${' '}
      <code><${Text} text=${scanUrl} /></code> ${idText(id)}`,
  },
  { label: 'Grade', of: ({ grade }: any) => html`<${GradeBadge} grade=${grade} />`, width: '72px' },
  {
    label: 'Last complete scan',
    of: ({ lastScanAt, watched }: any) =>
      html`${lastScanAt ? utc(lastScanAt) : 'never'} <${Badge} word=${watched ? 'watched' : 'not_watched'} tone=${watched ? 'good' : 'warn'} />`,
    width: '190px',
  },
]

const changeColumns = [
  {
    label: 'Scan',
    of: ({ scanId, pageId, scannedAt }: any) =>
      html`<${Link} changes=${{ view: 'pages', own: { pageId } }} data-focus data-key=${`change ${scanId}`}>${utc(scannedAt)}<//> ${idText(scanId)}`,
    width: '190px',
  },
  {
    label: 'What changed',
    of: ({
      headers,
      gradeDroppedFrom,
      grade,
      pageLabel,
      pageId,
    }: any) => html`<${Text} text=${pageLabel} />: <${Changes} changes=${{ gradeDroppedFrom, headers: headers.map((header: any) => ({ header, change: '' })) }} />
      ${gradeDroppedFrom && html`to ${grade}`} <small class="unseen">${pageId}</small>`,
  },
  {
    label: 'Alert',
    of: ({ alerted }: any) =>
      html`<${Badge} word=${alerted ? 'alerted' : 'no_alert'} tone=${alerted ? 'good' : 'warn'} />`,
    width: '84px',
  },
]

const suggestionColumns = [
  { label: 'Page', of: ({ url }: any) => html`<code data-focus tabindex="0"><${Text} text=${url} /></code>` },
  { label: 'Pattern', of: ({ suggestedPattern }: any) => html`<code><${Text} text=${suggestedPattern} /></code>` },
]
