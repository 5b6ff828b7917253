// @ts-check
/** @module Ticks of a time axis in a zone: at whole local hours and days, on both sides of a change of the clock. */

import { clockText, dayText, partsOf } from './time.js'

const minute = 60
const day = 1440

/** Steps in minutes, up to 14 days of the 31 that a window can have. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 480, 720, day, 2 * day, 4 * day, 7 * day, 14 * day]

/**
 * @param {number} from seconds since the epoch @param {number} to @param {number} most ticks that have room
 * @returns {{ at: number, text: string }[]}
 */
export function timeTicks(from, to, zone, most) {
  const minutes = (to - from) / minute
  const step = steps.find((one) => minutes / one <= most) ?? 28 * day
  const unit = Math.min(step, 15)
  const ticks = []
  for (let at = Math.ceil(from / (unit * minute)) * unit * minute; at <= to; at += unit * minute) {
    const { year, month, day: date, hour, minute: local } = partsOf(at * 1000, zone)
    const ofDay = hour * 60 + local
    const days = Math.floor(Date.UTC(year, month - 1, date) / 86_400_000)
    if (step < day ? ofDay % step : ofDay + ((days * day) % step)) continue
    ticks.push({ at, text: ofDay === 0 ? dayText(at * 1000, zone) : clockText(at * 1000, zone) })
  }
  return ticks
}
