import { useApp } from '../app-context.ts'
import { Badge } from '../components/badge.ts'
import { Card } from '../components/card.ts'
import { number, words } from '../components/format.ts'
import { Empty } from '../components/states.ts'
import { ListFoot, Table } from '../components/table.ts'
import { Time } from '../components/time.ts'
import { Text } from '../components/value.ts'
import { html } from '../html.ts'
import { request } from '../requests.ts'
import { useList } from '../use-read.ts'

const step = 50

const tones: Readonly<Record<string, string>> = { delivered: 'good', rejected: 'bad', dropped: 'warn' }

/** Deliveries of alerts, newest first. */
export function View() {
  const { state, sites, go } = useApp()
  const { destinationId, eventType } = state.own
  const list = useList(request(state, '/v1/alert-deliveries', { destinationId, eventType, limit: step }))
  const only = (name: string, value: any, label: any) =>
    html`<button type="button" class="text-button" title=${`Only ${name} ${value}`} data-key=${`${name} ${value}`} onClick=${() => go({ own: { ...state.own, [name]: value } })}>${label}</button>`
  const siteText = ({ siteId, siteIds }: any) => {
    if (siteIds.length > 1) return html`<span class="muted">${number(siteIds.length)} sites</span>`
    const id = siteId ?? siteIds[0]
    return html`<${Text} text=${sites.find((site) => site.id === id)?.name ?? id} />`
  }
  const columns = [
    {
      label: 'Sent',
      width: '9rem',
      of: ({ createdAt }: any) => html`<span data-focus tabindex="0"><${Time} time=${createdAt} /></span>`,
    },
    {
      label: 'Outcome',
      width: '7rem',
      isPlain: true,
      of: ({ outcome }: any) => html`<${Badge} word=${outcome} tone=${tones[outcome] ?? ''} />`,
    },
    {
      label: 'Alert',
      isPlain: true,
      of: ({ summary, kind, detail }: any) =>
        html`<${Text} text=${summary ?? `${words(kind).replace(/^./, (first) => first.toUpperCase())}`} />${detail && html`<p class="muted"><${Text} text=${detail} /></p>`}`,
    },
    {
      label: 'Event',
      isMinor: true,
      width: '12rem',
      of: ({ eventType }: any) =>
        eventType
          ? only('eventType', eventType, html`<code><${Text} text=${eventType} /></code>`)
          : html`<span class="muted">–</span>`,
    },
    { label: 'Site', width: '9rem', isPlain: true, of: siteText },
    {
      label: 'Destination',
      width: '20%',
      isPlain: true,
      of: ({ destination: { id, name, type } }: any) =>
        html`${only('destinationId', id, html`<${Text} text=${name ?? id} />`)}${type && html` <span class="muted">${type}</span>`}`,
    },
  ]
  const chosen = Object.entries({ destinationId, eventType }).filter(([, value]) => value)
  const tools = chosen.map(
    ([name, value]) =>
      html`<button key=${name} type="button" class="control" onClick=${() => go({ own: { ...state.own, [name]: '' } })} aria-label=${`Remove filter: ${name} is ${value}`}>${name} is <b><${Text} text=${value} /></b> ✕</button>`,
  )
  const foot = list.rows.length > 0 && html`<${ListFoot} list=${list} number=${number} />`
  return html`<h1 class="unseen">Alerts</h1>
    <${Card} id="alerts" title="Alert deliveries" note="newest first, all that are stored" read=${list} rows=${10} foot=${foot} tools=${tools.length > 0 && tools}>
      ${
        list.rows.length === 0
          ? html`<${Empty} text="No alert was sent, attempted or dropped." />`
          : html`<${Table} caption="Alert deliveries" columns=${columns} rows=${list.rows} keyOf=${({ id }: any) => id} />`
      }
    <//>`
}
