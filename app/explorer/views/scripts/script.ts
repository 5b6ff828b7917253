import { publicClaim } from '../../../../schema/rules/scripts/claimed-library.ts'
import { useApp } from '../../app-context.ts'
import { Badge } from '../../components/badge.ts'
import { Card } from '../../components/card.ts'
import { number, words } from '../../components/format.ts'
import { Link } from '../../components/link.ts'
import { Facts, Table } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { Text } from '../../components/value.ts'
import { html } from '../../html.ts'
import { request } from '../../requests.ts'
import { useRead } from '../../use-read.ts'
import { AdvisoryBadge, SeenBy, StatusBadge } from './script-badges.ts'
import { History } from './script-history.ts'

/** One script: its versions, decisions and events. */
export function Script() {
  const { state } = useApp()
  const { scriptId } = state.own
  const read = useRead(request(state, '/v1/sites/{siteId}/scripts/{scriptId}', { scriptId }))
  const script = read.body?.data
  return html`<div class="title">
      <nav aria-label="Breadcrumb"><${Link} changes=${{ view: 'scripts', own: {} }}>Scripts<//> /</nav>
      <h1>${script ? html`<code><${Text} text=${script.url} /></code>` : 'Script'}</h1>
      ${script && html`<${Badges} ...${script} />`}
    </div>
    <div class="columns">
      <div>
        <${Card} id="history" title="History" note="newest first" read=${read} rows=${6}>${({ data }: any) => html`<${History} script=${data} />`}<//>
        <${Card} id="versions" title="Versions" note=${script && number(script.hashes.length)} read=${read}
          foot=${script?.hashesTruncated && html`<span class="muted">Older hashes are not listed.</span>`}>
          ${({ data }: any) => html`<${Table} caption="Versions" rows=${data.hashes} keyOf=${({ hash }: any) => hash} columns=${versionColumns} />`}
        <//>
      </div>
      <div>
        <${Card} id="facts" title="Facts" read=${read}>${({ data }: any) => html`<div class="pad"><${Facts} pairs=${factsOf(data)} /></div>`}<//>
        ${script?.advisories.items.length > 0 && html`<${Card} id="advisories" title="Advisories" note=${number(script.advisories.items.length)} read=${read}><${Advisories} items=${script.advisories.items} /><//>`}
      </div>
    </div>`
}

const Badges = ({ status, coverage, advisories, identification }: any) =>
  html`<div class="badges">
    <${StatusBadge} status=${status} />
    <${Badge} word=${coverage.state} />
    ${advisories.state === 'affected' && html`<${AdvisoryBadge} ...${advisories} />`}
    <${Badge} word=${identification.state} tone=${identification.state === 'name_mismatch' ? 'warn' : ''} />
  </div>`

/** Name of the library, or what the URL claims to be. */
function libraryOf({ url, identification: { state, package: library, catalog } }: any): string {
  if (library) return `${library.name} ${library.version}, ${library.path} (${catalog})`
  const claim = state === 'unrecognised' ? publicClaim(url) : null
  if (!claim?.version) return words(state)
  return `The URL claims ${claim.name} ${claim.version}, but the bytes are no known file of it`
}

function factsOf({
  url,
  hashes,
  integrityMode,
  coverage,
  identification,
  activity,
  scanPresence,
  firstSeenAt,
  lastSeenAt,
  lastNewHashAt,
  advisories,
}: any): [string, any][] {
  const { claimed } = identification
  return [
    ['First seen', html`<${Time} time=${firstSeenAt} />`],
    ['Last seen', html`<${Time} time=${lastSeenAt} />`],
    ['Last new version', html`<${Time} time=${lastNewHashAt} />`],
    ['Seen by', html`<${SeenBy} ...${{ scanPresence, hashes, activity }} />`],
    ['Authorized for', integrityMode ? words(integrityMode) : '–'],
    ['Integrity source', coverage.decidedBy ?? '–'],
    ['Last unprotected', html`<${Time} time=${coverage.lastUnprotectedAt} />`],
    ['Library', html`<${Text} text=${libraryOf({ url, identification })} />`],
    ...(claimed
      ? [['Library in its URL', html`<${Text} text=${`${claimed.name} ${claimed.version ?? ''}`} />`] as [string, any]]
      : []),
    ['Advisories', words(advisories.state)],
    ['Advisories checked', html`<${Time} time=${advisories.checkedAt} />`],
    ['Reports in window', number(activity?.reportCount)],
    ['Pages in window', number(activity?.pageCount)],
    ['Payment pages in window', number(activity?.paymentPageCount)],
    ['Found by scans on', scanPresence ? `${number(scanPresence.foundOn.length)} payment pages` : '–'],
  ]
}

const versionColumns = [
  {
    label: 'Hash',
    of: ({ hash }: any) => html`<code data-focus tabindex="0"><${Text} text=${hash} empty="not hashed" /></code>`,
  },
  { label: 'Seen by', of: ({ sources }: any) => sources.map(words).join(', '), width: '100px' },
  {
    label: 'Pinned',
    title: 'The authorization allows only these bytes',
    of: ({ pinned }: any) =>
      pinned ? html`<${Badge} word="pinned" tone="good" />` : html`<span class="muted">–</span>`,
    width: '84px',
  },
  {
    label: 'Library',
    isMinor: true,
    of: ({ identity }: any) => html`<${Text} text=${identity && `${identity.name} ${identity.version}`} />`,
    width: '116px',
  },
  {
    label: 'Copy',
    isMinor: true,
    title: 'Whether the bytes were fetched and stored',
    of: ({ capture }: any) => html`<${Text} text=${capture && words(capture.reason ?? capture.state)} />`,
    width: '100px',
  },
  { label: 'First seen', of: ({ firstSeenAt }: any) => html`<${Time} dateOnly time=${firstSeenAt} />`, width: '92px' },
  { label: 'Last seen', of: ({ lastSeenAt }: any) => html`<${Time} dateOnly time=${lastSeenAt} />`, width: '92px' },
]

const Advisories = ({ items }: any) =>
  html`<ul class="findings">
    ${items.map(
      ({ id, aliases, severity, fixedIn, url }: any) => html`<li key=${id}>
        <span><${AdvisoryBadge} state="affected" severity=${severity} /></span>
        <span>${/^https:\/\//.test(url) ? html`<a href=${url} rel="noreferrer" target="_blank"><${Text} text=${aliases[0] ?? id} /></a>` : html`<${Text} text=${id} />`}
          ${fixedIn ? html`: fixed in <${Text} text=${fixedIn} />` : ': not fixed'}</span>
      </li>`,
    )}
  </ul>`
