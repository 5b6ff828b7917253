import { useApp } from '../../app-context.ts'
import { Badge } from '../../components/badge.ts'
import { Card } from '../../components/card.ts'
import { counted, number, words } from '../../components/format.ts'
import { Link } from '../../components/link.ts'
import { PartsBar } from '../../components/share-bar.ts'
import { Empty } from '../../components/states.ts'
import { Facts, ListFoot, Table } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { Text, Url } from '../../components/value.ts'
import { html } from '../../html.ts'
import { request } from '../../requests.ts'
import { useList } from '../../use-read.ts'
import { AdvisoryBadge, SeenBy, StatusBadge } from './script-badges.ts'

const statuses = { '': 'All', unreviewed: 'Not reviewed', authorized: 'Authorized', rejected: 'Rejected' }
const scopes = { '': 'Any page', payment: 'Payment pages' }

const sumOf = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((sum, count) => sum + count, 0)

export function Inventory() {
  const { state } = useApp()
  const { status, pageScope } = state.own
  const list = useList(request(state, '/v1/sites/{siteId}/scripts', { limit: 100, status, pageScope }))
  const { body } = list
  const total = body && !status && !pageScope ? sumOf(body.counts.identification) : undefined
  return html`<div class="title line-of">
      <h1>Scripts</h1>
      <${Choice} name="status" label="Decision" choices=${statuses} />
      <${Choice} name="pageScope" label="Pages" choices=${scopes} />
    </div>
    <div class="panels small">
      <${Card} id="integrity" title="Integrity" note="of all scripts" read=${list} rows=${3}>${() => html`<${Integrity} ...${body.coverage} />`}<//>
      <${Card} id="libraries" title="Libraries" note="of all scripts" read=${list} rows=${3}>${() => html`<${Libraries} ...${body.counts} />`}<//>
      <${Card} id="uninventoried" title="Not in the inventory" note=${body && number(body.coverage.uninventoriedCount)} read=${list} rows=${3}>
        ${() => html`<${Uninventoried} ...${body.coverage} />`}
      <//>
    </div>
    <${Card} id="scripts" title="Script inventory" note=${total !== undefined && number(total)} read=${list} foot=${html`<${ListFoot} list=${list} total=${total} number=${number} />`} rows=${10}>
      ${body?.truncated && html`<p class="pad muted">The site has more scripts than the list can show: scripts with a decision or in a scan come first, then the scripts that browsers reported earliest.</p>`}
      ${
        list.rows.length === 0
          ? html`<${Empty} text=${status || pageScope ? 'No script matches.' : 'No scan or report has seen a script yet.'} />`
          : html`<${Table} caption="Script inventory" rows=${list.rows} keyOf=${({ id }: any) => id} columns=${columns} />`
      }
    <//>`
}

function Choice({ name, label, choices }: { name: string; label: string; choices: Record<string, string> }) {
  const { state, go } = useApp()
  const chosen = state.own[name] ?? ''
  return html`<div class="segments" role="group" aria-label=${label}>
    ${Object.entries(choices).map(
      ([
        value,
        text,
      ]) => html`<button key=${value} type="button" data-key=${`${name} ${value}`} aria-pressed=${value === chosen ? 'true' : 'false'}
        onClick=${() => go({ own: { ...state.own, [name]: value } })}>${text}</button>`,
    )}
  </div>`
}

function Integrity({ reporting, protected: whole, unprotected, unknown }: any) {
  return html`<div class="pad">
    <${PartsBar} parts=${[
      { label: 'protected', count: whole, tone: 'good' },
      { label: 'unprotected', count: unprotected, tone: 'warn' },
      { label: 'unknown', count: unknown, tone: 'rest' },
    ]} />
    <p class="muted">${reporting ? 'Browsers report loads without integrity.' : 'No browser reports loads without integrity: send Integrity-Policy-Report-Only.'}</p>
  </div>`
}

const Libraries = ({
  identification,
  advisories,
}: {
  identification: Record<string, number>
  advisories: { affected: number }
}) =>
  html`<div class="pad"><${Facts} pairs=${[
    ...Object.entries(identification).map(([state, count]) => [words(state), number(count)]),
    ['with known advisories', number(advisories.affected)],
  ]} /></div>`

function Uninventoried({ uninventoried, uninventoriedCount }: any) {
  if (uninventoriedCount === 0)
    return html`<p class="pad muted">Every script that browsers reported as unprotected is in the inventory.</p>`
  const shown = uninventoried.slice(0, 5)
  return html`<ul class="lines-of">
      ${shown.map(
        ({ url, disposition }: any) => html`<li key=${url}><code title=${url}><${Url} url=${url} /></code>
          <${Badge} word=${disposition} label=${disposition === 'report' ? 'report only' : 'enforced'} /></li>`,
      )}
    </ul>
    <p class="pad muted">${number(shown.length)} of ${counted(uninventoriedCount, 'script')} that browsers reported without integrity and no scan has seen.</p>`
}

/** A known library; nothing for the site's own code. */
function Library({ identification: { state, package: found }, advisories }: any) {
  const isAffected = advisories.state === 'affected'
  if (!found && !isAffected) {
    return html`<span class="muted" title=${words(state)}>${state === 'name_mismatch' ? words(state) : '–'}</span>`
  }
  const title = isAffected ? undefined : `Advisories: ${words(advisories.state)}`
  return html`<span title=${title}><${Text} text=${found && `${found.name} ${found.version}`} empty="" /></span>
    ${isAffected && html` <${AdvisoryBadge} ...${advisories} />`}`
}

const columns = [
  {
    label: 'Script',
    of: ({ id, url }: any) =>
      html`<${Link} class="plain" changes=${{ view: 'scripts', own: { scriptId: id } }} data-focus data-key=${`script ${id}`}><code><${Text} text=${url} /></code><//>`,
  },
  {
    label: 'Decision',
    isPlain: true,
    of: ({ status }: any) => html`<${StatusBadge} status=${status} />`,
    width: '120px',
  },
  {
    label: 'Integrity',
    isPlain: true,
    of: ({ coverage }: any) => html`<${Badge} word=${coverage.state} />`,
    width: '112px',
  },
  {
    label: 'Library',
    title: 'By the script’s bytes, with the severity of its advisories',
    isMinor: true,
    of: (script: any) => html`<${Library} ...${script} />`,
    width: '152px',
  },
  {
    label: 'Seen by',
    title: 'Scans of payment pages in the window, and browser reports, which anyone can send',
    isMinor: true,
    of: (script: any) => html`<${SeenBy} ...${script} />`,
    width: '116px',
  },
  {
    label: 'Pages',
    title: 'Pages with reports of the script in the window',
    of: ({ activity }: any) => number(activity?.pageCount),
    numeric: true,
    width: '72px',
  },
  {
    label: 'First seen',
    isMinor: true,
    of: ({ firstSeenAt }: any) => html`<${Time} dateOnly time=${firstSeenAt} />`,
    width: '96px',
  },
  { label: 'Last seen', of: ({ lastSeenAt }: any) => html`<${Time} time=${lastSeenAt} />`, width: '128px' },
]
