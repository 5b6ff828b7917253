import type { Database } from '../../../../queries/clickhouse/database.ts'
import { type Flood, listFloods } from '../../../../queries/reports/list-floods.ts'
import { floodEvent } from '../../../../schema/alert-events.ts'
import { dayMs } from '../../../../schema/durations.ts'
import { utcText } from '../alert-message.ts'
import type { Change, Watched } from './change.ts'

/** One change for a site and UTC day with more reports than the site's budget. */
export async function findFloods(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  { since, now }: Watched,
): Promise<Change[]> {
  const startOfDay = new Date(Math.floor(since.getTime() / dayMs) * dayMs)
  const floods = await read(listFloods(tenantId, startOfDay))
  return floods.filter(({ startedAt }) => Date.parse(startedAt) >= since.getTime()).map((flood) => toChange(flood, now))
}

function toChange({ siteId, startedAt, minutes, stored, sent }: Flood, now: Date): Change {
  const [perMinute, kept] = [sent, stored].map((reports) => Math.round(reports / minutes).toLocaleString('en'))
  const from = utcText(startedAt)
  return {
    eventType: floodEvent,
    siteId,
    subject: `${siteId} ${startedAt.slice(0, 10)}`,
    occurredAt: startedAt,
    kind: 'traffic',
    data: {
      summary: `About ${perMinute} reports per minute since ${from}; ${kept} are stored`,
      hour: `${startedAt.slice(0, 13)}:00:00.000Z`,
      reportCount: stored,
      path: `/v1/reports/count?siteId=${siteId}&from=${startedAt}&to=${now.toISOString()}`,
    },
  }
}
