import type { Database } from '../../../../queries/clickhouse/database.ts'
import { listIssueFloods } from '../../../../queries/issues/new-sightings.ts'
import { listFloods } from '../../../../queries/reports/list-floods.ts'
import { type Burst, listBursts, listLargest } from '../../../../queries/reports/list-traffic-changes.ts'
import { burstEvent, floodEvent } from '../../../../schema/alert-events.ts'
import { dayMs, hourMs } from '../../../../schema/durations.ts'
import { utcText } from '../alert-message.ts'
import type { Change, MessageData, Watched } from './change.ts'
import { changesOf, type Run, reportsPath, startOfHour, storedAfterMs, toTime } from './traffic-runs.ts'

/** Reports of an hour, and times the usual ones. */
const burstBounds = { over: 1_000, times: 10 } as const

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
