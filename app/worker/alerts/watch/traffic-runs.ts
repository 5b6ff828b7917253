/** @module Hours of a site in a row with unusual traffic: bursts and silences, with their begin and end. */

import { type AlertEvent, endSuffix } from '../../../../schema/alert-events.ts'
import { dayMs, hourMs, minuteMs } from '../../../../schema/durations.ts'
import { utcText } from '../alert-message.ts'
import type { Change, MessageData } from './change.ts'

/** Time in which reports of an hour are stored that has ended, or for which a collector waited. */
export const storedAfterMs = 5 * minuteMs

/** Length from which a burst or silence is told although the site had another in the day before. */
const lastingMs = 6 * hourMs

export const startOfHour = (time: number) => new Date(Math.floor(time / hourMs) * hourMs)

export const toTime = (time: number) => new Date(time).toISOString()

export const reportsPath = (siteId: string, from: string, to: string) =>
  `/v1/reports/count?siteId=${siteId}&from=${from}&to=${to}`

/** Milliseconds since the epoch. */
export interface Run {
  readonly siteId: string
  readonly start: number
  readonly foundAt: number
  /** Undefined while it lasts. */
  readonly endedAt: number | undefined
}

interface Told<R> {
  readonly eventType: AlertEvent
  readonly runs: readonly R[]
  readonly since: Date
  readonly now: Date
  readonly begins: (run: R, countText: string) => MessageData
  readonly ends: (run: R & { readonly endedAt: number }, from: string) => MessageData
}

/** Changes of bursts or silences: the begin, again if it lasts, and the end of those with an alert. */
export function changesOf<R extends Run>({ eventType, runs, since, now, begins, ends }: Told<R>): Change[] {
  const changes = runs.flatMap((run) => {
    const { siteId, start, foundAt, endedAt } = run
    const subject = `${siteId} ${toTime(start)}`
    const own = { eventType, siteId, kind: 'traffic' } as const
    const count = runs.filter(
      (other) => other.siteId === siteId && other.foundAt <= foundAt && other.foundAt > foundAt - dayMs,
    ).length
    const hour = toTime(start)
    const data = { hour, ...(count > 1 && { countInDay: count }) }
    const begin = { ...data, ...begins(run, count > 1 ? ` (${count} times in 24 hours)` : '') }
    const at = (time: number) => toTime(Math.min(time, now.getTime()))
    const isLasting = Math.min(endedAt ?? Number.POSITIVE_INFINITY, now.getTime()) >= start + lastingMs
    const end = endedAt !== undefined && {
      ...own,
      subject: `${subject}${endSuffix}`,
      follows: subject,
      occurredAt: at(endedAt),
      data: { hour, ended: true, ...ends({ ...run, endedAt }, utcText(hour)) },
    }
    return [
      { ...own, subject, flaps: true, occurredAt: at(foundAt), data: begin },
      ...(isLasting ? [{ ...own, subject, occurredAt: at(start + lastingMs), data: begin }] : []),
      ...(end ? [end] : []),
    ]
  })
  return changes.filter(({ occurredAt }) => Date.parse(occurredAt) > since.getTime())
}
