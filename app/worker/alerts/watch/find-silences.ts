import type { Database } from '../../../../queries/clickhouse/database.ts'
import { comparedHours, listQuietSites, type TrafficHours } from '../../../../queries/reports/list-traffic-changes.ts'
import { onlyRow } from '../../../../queries/sql/rows.ts'
import { findOldestWaiting } from '../../../../queries/tenants/activity.ts'
import { silenceEvent } from '../../../../schema/alert-events.ts'
import { hourMs } from '../../../../schema/durations.ts'
import { silencesOf } from '../../../../schema/rules/traffic/silences.ts'
import { utcText } from '../alert-message.ts'
import type { Change, Watched } from './change.ts'
import { changesOf, type Run, reportsPath, startOfHour, storedAfterMs, toTime } from './traffic-runs.ts'

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
