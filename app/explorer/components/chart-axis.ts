/** @module Ticks of a time axis in a zone: at whole local hours and days, also around clock changes. */

import { clockText, dayText, partsOf } from './time.ts'

const minute = 60
const day = 1440

/** Steps in minutes, up to 14 days of the 31 that a window can have. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 480, 720, day, 2 * day, 4 * day, 7 * day, 14 * day]

/** Minutes by which a zone's clock is ahead of UTC. */
const offsetOf = ({ year, month, day: date, hour, minute: local }: ReturnType<typeof partsOf>, at: number) =>
  Date.UTC(year, month - 1, date, hour, local) / 60_000 - Math.floor(at / minute)

/** `+1 h` */
const changeText = (minutes: number) => `${minutes > 0 ? '+' : '−'}${Math.abs(minutes) / 60} h`

/**
 * @param from seconds since the epoch
 * @param most ticks that fit
 * @returns a clock change has a tick; its neighbours have none
 */
export function timeTicks(from: number, to: number, zone: any, most: number): { at: number; text: string }[] {
  const minutes = (to - from) / minute
  const step = steps.find((one) => minutes / one <= most) ?? 28 * day
  const unit = Math.min(step, 15)
  const ticks: { at: number; text: string }[] = []
  const changes: { at: number; text: string }[] = []
  let before: number | undefined
  for (let at = Math.ceil(from / (unit * minute)) * unit * minute; at <= to; at += unit * minute) {
    const parts = partsOf(at * 1000, zone)
    const offset = offsetOf(parts, at)
    if (before !== undefined && offset !== before)
      changes.push({ at, text: `${clockText(at * 1000, zone)} (${changeText(offset - before)})` })
    before = offset
    const ofDay = parts.hour * 60 + parts.minute
    const days = Math.floor(Date.UTC(parts.year, parts.month - 1, parts.day) / 86_400_000)
    if (step < day ? ofDay % step : ofDay + ((days * day) % step)) continue
    ticks.push({ at, text: ofDay === 0 ? dayText(at * 1000, zone) : clockText(at * 1000, zone) })
  }
  const isApart = ({ at }: any) => changes.every((change) => Math.abs(change.at - at) >= step * minute)
  return [...ticks.filter(isApart), ...changes].sort((a, b) => a.at - b.at)
}
