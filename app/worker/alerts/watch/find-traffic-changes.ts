import type { Database } from '../../../../queries/clickhouse/database.ts'
import { listIssueFloods } from '../../../../queries/issues/new-sightings.ts'
import { listFloods } from '../../../../queries/reports/list-floods.ts'
import {
  type Burst,
  comparedHours,
  listBursts,
  listLargest,
  listQuietSites,
  type TrafficHours,
} from '../../../../queries/reports/list-traffic-changes.ts'
import { onlyRow } from '../../../../queries/sql/rows.ts'
import { findOldestWaiting } from '../../../../queries/tenants/activity.ts'
import { type AlertEvent, burstEvent, endSuffix, floodEvent, silenceEvent } from '../../../../schema/alert-events.ts'
import { dayMs, hourMs, minuteMs } from '../../../../schema/durations.ts'
import { silencesOf } from '../../../../schema/rules/traffic/silences.ts'
import { utcText } from '../alert-message.ts'
import type { Change, MessageData, Watched } from './change.ts'

/** Reports of an hour, and times the usual ones. */
const burstBounds = { over: 1_000, times: 10 } as const

/** Time in which reports of an hour are stored that has ended, or for which a collector waited. */
const storedAfterMs = 5 * minuteMs

/** Length from which a burst or silence is told although the site had another in the day before. */
const lastingMs = 6 * hourMs

const startOfHour = (time: number) => new Date(Math.floor(time / hourMs) * hourMs)

const toTime = (time: number) => new Date(time).toISOString()

/** Milliseconds since the epoch. */
interface Run {
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
function changesOf<R extends Run>({ eventType, runs, since, now, begins, ends }: Told<R>): Change[] {
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

interface BurstRun extends Run {
  readonly hours: readonly Burst[]
}

/** Consecutive hours of each site. */
function runsOf(bursts: readonly Burst[], now: Date): BurstRun[] {
  const runs: Burst[][] = []
  for (const burst of bursts) {
    const before = runs.at(-1)?.at(-1)
    const isNext = before?.siteId === burst.siteId && Date.parse(before.hour) + hourMs === Date.parse(burst.hour)
    if (isNext) runs.at(-1)?.push(burst)
    else runs.push([burst])
  }
  return runs.map((hours) => {
    const [start, last] = [hours[0], hours.at(-1)].map((burst) => Date.parse(burst?.hour ?? ''))
    const end = Number(last) + hourMs
    const isOver = end + hourMs + storedAfterMs <= now.getTime()
    const [siteId, from] = [hours[0]?.siteId ?? '', Number(start)]
    return { siteId, start: from, foundAt: from + hourMs, endedAt: isOver ? end : undefined, hours }
  })
}

/** Bursts, except those of a flood that has its own alert. */
export async function findBursts(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  { since, now, rules }: Watched,
): Promise<Change[]> {
  const bursts = await read(listBursts(tenantId, startOfHour(since.getTime() - dayMs), burstBounds))
  if (bursts.length === 0) return []
  const floods = await read(listIssueFloods(tenantId, startOfHour(since.getTime() - hourMs)))
  const newIssuesOf = new Map(floods.map(({ siteId, hour, issueCount }) => [`${siteId} ${hour}`, issueCount]))
  const floodRules = rules.filter(({ eventType }) => eventType === floodEvent)
  const flooded = floodRules.length > 0 ? await read(listFloods(tenantId, since)) : []
  const hasFloodAlert = (site: string) =>
    flooded.some(({ siteId }) => siteId === site) && floodRules.some(({ siteId }) => (siteId ?? site) === site)
  const runs = runsOf(bursts, now).filter(({ siteId }) => !hasFloodAlert(siteId))
  return changesOf({
    eventType: burstEvent,
    runs,
    since,
    now,
    begins({ hours: [first], siteId }, times) {
      const { hour = '', reports = 0, usual = 0 } = first ?? {}
      const [issueCount, usualCount] = [newIssuesOf.get(`${siteId} ${hour}`), Math.round(usual)]
      const issues = issueCount ? `, with ${issueCount.toLocaleString('en')} new issues` : ''
      const summary = `${reports.toLocaleString('en')} reports in the hour from ${utcText(hour)}; usually ${usualCount.toLocaleString('en')}${issues}${times}`
      const path = reportsPath(siteId, hour, toTime(Date.parse(hour) + hourMs))
      return { summary, ...(issueCount && { issueCount }), reportCount: reports, usualCount, path }
    },
    ends({ hours, siteId, start, endedAt }, from) {
      const reportCount = hours.reduce((sum, { reports }) => sum + reports, 0)
      const summary = `The burst from ${from} is over: ${reportCount.toLocaleString('en')} reports until ${utcText(toTime(endedAt))}`
      return { summary, reportCount, path: reportsPath(siteId, toTime(start), toTime(endedAt)) }
    },
  })
}

/** The directive, host and page of most reports of a burst. */
export async function describeBurst(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  siteId: string,
  data: MessageData,
): Promise<MessageData> {
  const largest = await read(listLargest(tenantId, siteId, new Date(data.hour ?? '')))
  return { ...data, largest: Object.fromEntries(largest.map(({ name, ...most }) => [name, most])) }
}

interface SilenceRun extends Run {
  readonly reports: number
  readonly usual: number
}

/** Silences (Rule 85) of hours whose reports are stored. */
export async function findSilences(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  { since, now }: Watched,
): Promise<Change[]> {
  const { oldestAt, emptiedAt } = onlyRow(await read(findOldestWaiting))
  if (emptiedAt && Math.abs(now.getTime() - Date.parse(emptiedAt)) < storedAfterMs) return []
  const storedTo = Math.min(now.getTime(), oldestAt ? Date.parse(oldestAt) : now.getTime()) - storedAfterMs
  const current = startOfHour(storedTo)
  const sites = await read(listQuietSites(tenantId, current))
  return changesOf({
    eventType: silenceEvent,
    runs: sites.flatMap((site) => silentRuns(site, current.getTime())),
    since,
    now,
    begins({ siteId, start, foundAt, reports, usual }, times) {
      const [count, usualCount] = [reports === 0 ? 'No' : reports.toLocaleString('en'), Math.round(usual)]
      const summary = `${count} reports from ${utcText(toTime(start))} to ${utcText(toTime(foundAt))}; usually ${usualCount.toLocaleString('en')}${times}`
      return { summary, reportCount: reports, usualCount, path: reportsPath(siteId, toTime(start), toTime(foundAt)) }
    },
    ends({ siteId, start, endedAt }, from) {
      const summary = `Reports are back at ${utcText(toTime(endedAt))}, after the silence from ${from}`
      return { summary, path: reportsPath(siteId, toTime(start), toTime(endedAt + hourMs)) }
    },
  })
}

function silentRuns({ siteId, hours }: TrafficHours, current: number): SilenceRun[] {
  const week = Array.from({ length: comparedHours + 1 }, () => ({ reports: 0, usual: 0 }))
  for (const { hoursAgo, reports, usual } of hours) week[comparedHours - hoursAgo] = { reports, usual }
  const timeOf = (index: number) => current - (comparedHours - index) * hourMs
  return silencesOf(week).map(({ start, found, end }) => {
    const run = week.slice(start, found + 1)
    return {
      siteId,
      start: timeOf(start),
      foundAt: timeOf(found + 1),
      endedAt: end === undefined ? undefined : timeOf(end),
      reports: run.reduce((sum, { reports }) => sum + reports, 0),
      usual: run.reduce((sum, { usual }) => sum + usual, 0),
    }
  })
}

const reportsPath = (siteId: string, from: string, to: string) =>
  `/v1/reports/count?siteId=${siteId}&from=${from}&to=${to}`
