/** @module Days and hours of a time zone, found by reading its clock, with no code of the API. */

import type { OracleWindow } from './oracle-parts.ts'

/** Minutes between readings: clocks change, and show whole hours, at multiples of it. */
const stepMs = 15 * 60_000

/** First times of the zone's dates, and times at which its clock shows a whole hour; the first reading's date is no start. */
export function clockOf(timeZone: string, { from, to }: OracleWindow) {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  const [days, hours]: [number[], number[]] = [[], []]
  const first = Math.floor(from / stepMs) * stepMs
  let latest = format.format(first).slice(0, 10)
  for (let time = first; time <= to; time += stepMs) {
    const [date = '', clock = ''] = format.format(time).split(' ')
    if (clock.endsWith(':00')) hours.push(time)
    if (date > latest) {
      days.push(time)
      latest = date
    }
  }
  return { '1d': days, '1h': hours }
}
