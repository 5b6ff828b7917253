import { useApp } from '../app-context.ts'
import { Menu, MenuItem } from '../components/menu.ts'
import { shortTime, zoneOf } from '../components/time.ts'
import { html, useState } from '../html.ts'
import type { State } from '../state.ts'
import { ranges } from '../state.ts'

const labels: Readonly<Record<string, string>> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '31d': 'Last 31 days',
}

export function windowText(state: State) {
  const { last, from, to } = state
  const zone = zoneOf(state)
  if (!from && !to) return labels[last] ?? `Last ${last}`
  if (!to) return `Since ${shortTime(from ?? '', zone)}`
  return `${from ? shortTime(from, zone) : last} – ${shortTime(to, zone)}`
}

/** The window: presets, or two dates. Days of the fields are UTC days. */
export function WindowMenu() {
  const { state, go } = useApp()
  const [from, setFrom] = useState(state.from?.slice(0, 10) ?? '')
  const [to, setTo] = useState('')
  const day = (text: string) => (text ? new Date(`${text}T00:00:00Z`) : undefined)
  const apply = (event: any, close: () => void) => {
    event.preventDefault()
    const end = day(to)
    if (end) end.setUTCDate(end.getUTCDate() + 1)
    const isPast = end && end.getTime() < Date.now()
    go({ from: day(from)?.toISOString(), to: isPast ? end?.toISOString() : undefined })
    close()
  }
  return html`<${Menu} label=${html`${windowText(state)} <span aria-hidden="true">▾</span>`} name=${`Window: ${windowText(state)}`} data-key="window">
    ${(close: () => void) => html`
      ${Object.keys(ranges).map(
        (range) => html`<${MenuItem} key=${range} current=${!state.from && !state.to && state.last === range}
        pick=${() => {
          go({ last: range, from: undefined, to: undefined })
          close()
        }}>${labels[range]}<//>`,
      )}
      <form class="dates" onSubmit=${(event: any) => apply(event, close)}>
        <label><span>From</span><input type="date" required value=${from} onInput=${({ target }: any) => setFrom(target.value)} /></label>
        <label><span>To</span><input type="date" value=${to} onInput=${({ target }: any) => setTo(target.value)} /></label>
        <button type="submit" class="control">Show these days (UTC)</button>
      </form>`}
  <//>`
}
