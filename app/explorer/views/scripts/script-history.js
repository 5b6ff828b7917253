// @ts-check
import { useApp } from '../../app-context.js'
import { Badge } from '../../components/badge.js'
import { words } from '../../components/format.js'
import { Time } from '../../components/time.js'
import { Text } from '../../components/value.js'
import { html } from '../../html.js'
import { request } from '../../requests.js'
import { useRead } from '../../use-read.js'
import { StatusBadge } from './script-badges.js'
import { eventsOf } from './script-events.js'

/** Events of a script, one per line; decisions with person and reason. @param {{ script: any }} props */
export function History({ script }) {
  const { state } = useApp()
  const isGone = script.scanPresence?.goneFrom.length > 0
  const pages = useRead(isGone ? request(state, '/v1/sites/{siteId}/pages', { limit: 100 }) : undefined)
  const labelOf = (pageId) => pages.body?.data.find(({ id }) => id === pageId)?.label ?? pageId
  const rows = eventsOf(script).map((event, at) => {
    return html`<li key=${`${event.kind} ${event.time} ${at}`}>
      <${Time} time=${event.time} />
      <div>${textOf(event, labelOf)}</div>
    </li>`
  })
  return html`<ol class="history">${rows}</ol>`
}

/** @param {import('./script-events.js').ScriptEvent} event @param {(pageId: string) => string} labelOf */
function textOf({ kind, what }, labelOf) {
  if (kind === 'decision') return html`<${Decision} ...${what} />`
  if (kind === 'version') return html`New version <code><${Text} text=${what.hash} empty="without a hash" /></code>`
  if (kind === 'gone') return html`Last found by a scan on <${Text} text=${labelOf(what.pageId)} />`
  if (kind === 'unprotected')
    return html`<${Badge} word="unprotected" /> A browser last loaded it without integrity${what.mode === 'enforce' && ' and blocked it'}`
  return what === 'first' ? 'First seen' : 'Last seen'
}

function Decision({ status, integrityMode, pinnedHashes, justification, decidedBy: { name, email } }) {
  return html`<${StatusBadge} status=${status} /> by <${Text} text=${name ? `${name} (${email})` : email} />
    ${integrityMode && html`, for ${words(integrityMode)}`}${pinnedHashes && html` (${pinnedHashes.length} pinned)`}
    ${justification && html`<p class="muted"><${Text} text=${justification} /></p>`}`
}
