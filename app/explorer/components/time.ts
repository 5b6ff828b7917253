import { useApp } from '../app-context.ts'
import { html } from '../html.ts'
import type { State } from '../state.ts'

const minuteMs = 60_000

const formats: Map<string, Intl.DateTimeFormat> = new Map()

function format(zone: string, options: any) {
  const key = `${zone} ${JSON.stringify(options)}`
  const known = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options })
  formats.set(key, known)
  return known
}

const ofMinute = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }

/** Numbers of a time in a zone: year, month, day, hour, minute, second. */
export function partsOf(ms: number, zone: any) {
  const options = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }
  return Object.fromEntries(
    format(zone, options)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>
}

/** `23 Nov 13:00`, with the year unless it is this one. */
export function shortTime(time: string | number, zone = 'UTC') {
  const ms = typeof time === 'number' ? time : Date.parse(time)
  if (Number.isNaN(ms)) return String(time)
  const isThisYear = new Date(ms).getUTCFullYear() === new Date().getUTCFullYear()
  return format(zone, { ...ofMinute, ...(!isThisYear && { year: 'numeric' }) })
    .format(ms)
    .replace(',', '')
}

/** `Thu 19` */
export const dayText = (ms: number, zone: any) =>
  format(zone, { weekday: 'short', day: 'numeric' }).format(ms).replace(',', '')

/** `13:00` */
export const clockText = (ms: number, zone: any) =>
  format(zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(ms)

/** The full time with its zone. */
export function wholeTime(time: string | number, zone = 'UTC') {
  const ms = typeof time === 'number' ? time : Date.parse(time)
  if (Number.isNaN(ms)) return String(time)
  return `${format(zone, { ...ofMinute, second: '2-digit', year: 'numeric', weekday: 'short' }).format(ms)} ${zone}`
}

/**
 * `4 s ago`, for less than an hour.
 * @param ms since then
 */
export function ago(ms: number) {
  if (ms < 0) return 'now'
  if (ms < minuteMs) return `${Math.floor(ms / 1000)} s ago`
  return `${Math.floor(ms / minuteMs)} min ago`
}

/** Display name of the zone. */
export const zoneOf = (state: State) => state.timeZone ?? 'UTC'

/** A short time, with the full time in its title. */
export function Time({ time, dateOnly = false }: { time?: string | null; dateOnly?: boolean }) {
  const zone = zoneOf(useApp().state)
  if (!time) return html`<span class="muted">–</span>`
  const age = Date.now() - Date.parse(time)
  const text = () => {
    if (dateOnly) return shortTime(time, zone).replace(/ \d\d:\d\d$/, '')
    return age >= 0 && age < 60 * minuteMs ? ago(age) : shortTime(time, zone)
  }
  return html`<time datetime=${time} title=${wholeTime(time, zone)}>${text()}</time>`
}
