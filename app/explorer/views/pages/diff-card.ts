import { useApp } from '../../app-context.ts'
import { Badge } from '../../components/badge.ts'
import { Card } from '../../components/card.ts'
import { counted } from '../../components/format.ts'
import { shortTime, zoneOf } from '../../components/time.ts'
import { Text } from '../../components/value.ts'
import { html } from '../../html.ts'
import { request } from '../../requests.ts'
import { useRead } from '../../use-read.ts'
import type { DirectiveDiff, HeaderDiff } from './header-diff.ts'
import { diffHeaders } from './header-diff.ts'

const path = '/v1/sites/{siteId}/pages/{pageId}/scans/{scanId}'

/** Headers of two scans side by side, showing only differences. complete ones, newest first */
export function DiffCard({ scans }: { scans: any[] }) {
  const { state, go } = useApp()
  const { pageId, scanId, otherId } = state.own
  // The newest change, unless the URL names two.
  const changed = scans.findIndex(({ changes }) => changes.headers.length > 0)
  const newest = Math.min(Math.max(0, changed), scans.length - 2)
  const after = useScan(scans, pageId, scanId ?? scans[newest].id)
  const before = useScan(scans, pageId, otherId ?? scans[newest + 1].id)
  const zone = zoneOf(state)
  const pick =
    (name: any) =>
    ({ target }: any) =>
      go({ own: { ...state.own, scanId: after.id, otherId: before.id, [name]: target.value } }, { replace: true })
  const choice = (
    name: string,
    label: string,
    { id, scan }: any,
  ) => html`<select aria-label=${label} value=${id} onChange=${pick(name)} data-key=${name}>
    ${!scans.some((one) => one.id === id) && html`<option value=${id}>${scan ? shortTime(scan.scannedAt, zone) : 'another scan'}</option>`}
    ${scans.map((one) => html`<option key=${one.id} value=${one.id}>${shortTime(one.scannedAt, zone)}, ${one.grade}</option>`)}
  </select>`
  const diffs =
    before.scan?.headers && after.scan?.headers ? diffHeaders(before.scan.headers, after.scan.headers) : undefined
  const note =
    diffs &&
    (diffs.length === 0
      ? 'same headers'
      : `${counted(diffs.length, 'header')} of ${Object.keys(after.scan.headers).length} differ`)
  const tools = html`${choice('otherId', 'Earlier scan', before)}<span>and</span>${choice('scanId', 'Later scan', after)}`
  const read = after.read?.error ? after.read : before.read?.error ? before.read : undefined
  return html`<${Card} id="diff" title="Compare scans" note=${note} tools=${tools} read=${read}>
    ${diffs?.length === 0 && html`<p class="pad muted">Both scans received the same watched headers.</p>`}
    ${diffs && diffs.length > 0 && html`<${Diff} ...${{ diffs, heads: [before, after].map(({ scan }) => `${shortTime(scan.scannedAt, zone)} ${zone}`) }} />`}
  <//>`
}

/** A scan from the list, or a scan that is read separately. */
function useScan(scans: any, pageId: any, id: any) {
  const { state } = useApp()
  const listed = scans.find((scan: any) => scan.id === id)
  const read = useRead(listed ? undefined : request(state, path, { pageId, scanId: id }))
  return { id, scan: listed ?? read.body?.data, read: listed ? undefined : read }
}

const Diff = ({ diffs, heads: [earlier, later] }: { diffs: HeaderDiff[]; heads: string[] }) =>
  html`<table class="diff">
    <caption class="unseen">Headers that differ</caption>
    <thead><tr><th scope="col">Header</th><th scope="col">${earlier}</th><th scope="col">${later}</th></tr></thead>
    <tbody>${diffs.map(
      ({ header, change, directives }) => html`<tr key=${header}>
        <td data-label="Header"><div><code>${header}</code> <${Badge} word=${change} tone=${change === 'removed' ? 'warn' : ''} /></div></td>
        <td data-label=${earlier}>${change === 'added' ? html`<span class="muted">not sent</span>` : html`<${Side} directives=${directives} side="before" />`}</td>
        <td data-label=${later}>${change === 'removed' ? html`<span class="muted">not sent</span>` : html`<${Side} directives=${directives} side="after" />`}</td>
      </tr>`,
    )}</tbody>
  </table>`

const Side = ({ directives, side }: { directives: DirectiveDiff[]; side: 'before' | 'after' }) => {
  const Mark = side === 'before' ? 'del' : 'ins'
  return html`<ul>${directives.map((directive) => {
    const parts = directive[side]
    const isWhole = directive[side === 'before' ? 'after' : 'before'] === undefined
    if (!parts)
      return html`<li key=${directive.name} class="muted"><code><${Text} text=${directive.name} /></code> missing</li>`
    return html`<li key=${directive.name}><code>${isWhole ? html`<${Mark}><${Text} text=${directive.name} /></${Mark}>` : html`<${Text} text=${directive.name} />`}${parts.map(
      ({ text, isOnly }, at) =>
        html` ${isOnly ? html`<${Mark} key=${at}><${Text} text=${text} /></${Mark}>` : html`<${Text} key=${at} text=${text} />`}`,
    )}</code></li>`
  })}</ul>`
}
