import type { Database } from '../../../../queries/clickhouse/database.ts'
import { listIssueFloods } from '../../../../queries/issues/new-sightings.ts'
import { listFloods } from '../../../../queries/reports/list-floods.ts'
import {
  type Burst,
  listBursts,
  listFirstReports,
  listSilences,
} from '../../../../queries/reports/list-traffic-changes.ts'
import { onlyRow } from '../../../../queries/sql/rows.ts'
import { findOldestWaiting } from '../../../../queries/tenants/activity.ts'
import { burstEvent, floodEvent, silenceEvent } from '../../../../schema/alert-events.ts'
import { dayMs, hourMs, minuteMs } from '../../../../schema/durations.ts'
import type { Change, Watched } from './change.ts'

/** Reports of an hour, and times the usual ones. */
const burstBounds = { over: 1_000, times: 10 } as const

/** Reports in each of the 24 hours before a silence. */
const leastBefore = 100

/** Time in which reports of an hour are stored that has ended. */
const storedAfterMs = 5 * minuteMs

const startOfHour = (time: number) => new Date(Math.floor(time / hourMs) * hourMs)

const toTime = (time: number) => new Date(time).toISOString()

/** Bursts, each by its first hour, except those of a site's first day, and of a flood that has its own alert. */
export async function findBursts(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  { since, now, rules }: Watched,
): Promise<Change[]> {
  const bursts = await read(listBursts(tenantId, startOfHour(since.getTime() - hourMs), burstBounds))
  if (bursts.length === 0) return []
  const firstReports = await read(listFirstReports(tenantId, [...new Set(bursts.map(({ siteId }) => siteId))]))
  const firstOf = new Map(firstReports.map(({ siteId, firstSeen }) => [siteId, Date.parse(firstSeen)]))
  const floods = await read(listIssueFloods(tenantId, startOfHour(since.getTime() - hourMs)))
  const newIssuesOf = new Map(floods.map(({ siteId, hour, issueCount }) => [`${siteId} ${hour}`, issueCount]))
  const hours = new Set(bursts.map(({ siteId, hour }) => `${siteId} ${hour}`))
  const floodRules = rules.filter(({ eventType }) => eventType === floodEvent)
  const flooded = floodRules.length > 0 ? await read(listFloods(tenantId, since)) : []
  const hasFloodAlert = (site: string) =>
    flooded.some(({ siteId }) => siteId === site) && floodRules.some(({ siteId }) => (siteId ?? site) === site)
  return bursts
    .filter(({ siteId, hour }) => {
      const time = Date.parse(hour)
      const isFirst = !hours.has(`${siteId} ${toTime(time - hourMs)}`)
      return (
        !hasFloodAlert(siteId) &&
        isFirst &&
        time + hourMs > since.getTime() &&
        (firstOf.get(siteId) ?? time) + dayMs <= time
      )
    })
    .map((burst) => toBurst(burst, newIssuesOf.get(`${burst.siteId} ${burst.hour}`), now))
}

function toBurst({ siteId, hour, reports, usual }: Burst, issueCount: number | undefined, now: Date): Change {
  const usualCount = Math.round(usual)
  const [count, mean] = [reports.toLocaleString('en'), usualCount.toLocaleString('en')]
  return {
    eventType: burstEvent,
    siteId,
    subject: `${siteId} ${hour}`,
    occurredAt: toTime(Math.min(Date.parse(hour) + hourMs, now.getTime())),
    kind: 'traffic',
    data: {
      summary: `${count} reports in the hour from ${hour.slice(11, 16)} UTC; usually ${mean}${issueCount ? `, with ${issueCount.toLocaleString('en')} new issues` : ''}`,
      ...(issueCount && { issueCount }),
      hour,
      reportCount: reports,
      usualCount,
      path: reportsPath(siteId, hour),
    },
  }
}

/** Hours without reports after a day with many in each hour: the first hour of a silence. */
export async function findSilences(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  { since, now }: Watched,
): Promise<Change[]> {
  const { oldestAt } = onlyRow(await read(findOldestWaiting))
  // Hours whose reports wait in a collector's log are read once these are stored.
  const storedTo = Math.min(now.getTime() - storedAfterMs, oldestAt ? Date.parse(oldestAt) : now.getTime())
  const window = { from: startOfHour(since.getTime()), to: startOfHour(storedTo) }
  const silences = await read(listSilences(tenantId, window, leastBefore))
  return silences.map(({ siteId, hour }) => ({
    eventType: silenceEvent,
    siteId,
    subject: `${siteId} ${hour}`,
    occurredAt: toTime(Date.parse(hour) + hourMs),
    kind: 'traffic',
    data: {
      summary: `No report in the hour from ${hour.slice(11, 16)} UTC, after at least ${leastBefore} in each of 24 hours`,
      hour,
      reportCount: 0,
      path: reportsPath(siteId, hour),
    },
  }))
}

const reportsPath = (siteId: string, hour: string) =>
  `/v1/reports/count?siteId=${siteId}&from=${hour}&to=${toTime(Date.parse(hour) + hourMs)}`
