import { useApp } from '../../app-context.ts'
import { Badge } from '../../components/badge.ts'
import { words } from '../../components/format.ts'
import { Time } from '../../components/time.ts'
import { Text } from '../../components/value.ts'
import { html } from '../../html.ts'
import { request } from '../../requests.ts'
import { useRead } from '../../use-read.ts'
import { StatusBadge } from './script-badges.ts'
import type { ScriptEvent } from './script-events.ts'
import { eventsOf } from './script-events.ts'

/** Events of a script, one per line; decisions with person and reason. */
export function History({ script }: { script: any }) {
  const { state } = useApp()
  const isGone = script.scanPresence?.goneFrom.length > 0
  const pages = useRead(isGone ? request(state, '/v1/sites/{siteId}/pages', { limit: 100 }) : undefined)
  const labelOf = (pageId: any) => pages.body?.data.find(({ id }: any) => id === pageId)?.label ?? pageId
  const rows = eventsOf(script).map((event, at) => {
    return html`<li key=${`${event.kind} ${event.time} ${at}`}>
      <${Time} time=${event.time} />
      <div>${textOf(event, labelOf)}</div>
    </li>`
  })
  return html`<ol class="history">${rows}</ol>`
}

function textOf({ kind, what }: ScriptEvent, labelOf: (pageId: string) => string) {
  if (kind === 'decision') return html`<${Decision} ...${what} />`
  if (kind === 'version') return html`New version <code><${Text} text=${what.hash} empty="without a hash" /></code>`
  if (kind === 'gone') return html`Last found by a scan on <${Text} text=${labelOf(what.pageId)} />`
  if (kind === 'unprotected')
    return html`<${Badge} word="unprotected" /> A browser last loaded it without integrity${what.mode === 'enforce' && ' and blocked it'}`
  return what === 'first' ? 'First seen' : 'Last seen'
}

function Decision({ status, integrityMode, pinnedHashes, justification, decidedBy: { name, email } }: any) {
  return html`<${StatusBadge} status=${status} /> by <${Text} text=${name ? `${name} (${email})` : email} />
    ${integrityMode && html`, for ${words(integrityMode)}`}${pinnedHashes && html` (${pinnedHashes.length} pinned)`}
    ${justification && html`<p class="muted"><${Text} text=${justification} /></p>`}`
}
