import { z } from 'zod'
import { endSuffix } from '../../schema/alert-events.ts'
import type { Query } from '../sql/query.ts'
import { rowTexts, rowTime } from '../sql/rows.ts'
import { at, type Sql, sql, text, texts, uuid, uuids } from '../sql/sql.ts'

export interface StoredAlert {
  readonly tenantId: string
  readonly id: string
  readonly kind: 'immediate' | 'digest' | 'test'
  readonly eventType: string
  readonly siteId: string | null
  readonly siteIds: readonly string[]
  readonly subjects: readonly string[]
  readonly summary: string
  readonly payload: string
  readonly occurredAt: Date
  readonly destinations: readonly string[]
  readonly digestTo: readonly string[]
  readonly detectedAt: Date
}

/**
 * Inserts an alert, or nothing if it or one of its subjects is stored: a worker that was frozen and lost its lease
 * cannot create a second message about a change.
 */
export const insertAlert = (alert: StoredAlert): Sql => sql`
  INSERT INTO alerts (tenant_id, id, kind, event_type, site_id, site_ids, subjects, summary, payload, occurred_at,
    destinations, digest_to, detected_at)
  SELECT ${uuid(alert.tenantId)}, ${uuid(alert.id)}, ${text(alert.kind)}, ${text(alert.eventType)},
    ${alert.siteId === null ? sql`NULL` : uuid(alert.siteId)}, ${uuids(alert.siteIds)}, ${texts(alert.subjects)},
    ${text(alert.summary)}, ${text(alert.payload)}, ${at(alert.occurredAt)}, ${texts(alert.destinations)},
    ${texts(alert.digestTo)}, ${at(alert.detectedAt)}
  WHERE NOT (
    SELECT count() > 0
    FROM alerts
    WHERE tenant_id = ${uuid(alert.tenantId)}
      AND (id = ${uuid(alert.id)} OR event_type = ${text(alert.eventType)} AND hasAny(subjects, ${texts(alert.subjects)})))`

const alertedSubjectRow = z.object({ eventType: z.string(), subject: z.string() })

/** Which of the subjects have an alert, by event. */
export const listAlertedSubjects = (
  tenantId: string,
  subjects: readonly string[],
): Query<z.infer<typeof alertedSubjectRow>> => ({
  name: 'listAlertedSubjects',
  statement: sql`
    SELECT DISTINCT event_type AS eventType, arrayJoin(arrayIntersect(subjects, ${texts(subjects)})) AS subject
    FROM alerts
    WHERE tenant_id = ${uuid(tenantId)} AND hasAny(subjects, ${texts(subjects)})`,
  row: alertedSubjectRow,
})

const pendingAlertRow = z.object({
  tenantId: z.string(),
  alertId: z.string(),
  destinationId: z.string(),
  kind: z.enum(['immediate', 'digest', 'test']),
  eventType: z.string(),
  siteId: z.string().nullable(),
  siteIds: rowTexts,
  subjects: rowTexts,
  summary: z.string(),
  payload: z.string(),
  /** Subject whose messages are sent one after another: a page, a burst or silence with its end, or all digests. */
  thread: z.string(),
  occurredAt: rowTime,
  detectedAt: rowTime,
})

export type PendingAlert = z.infer<typeof pendingAlertRow>

/** Alerts of all tenants by destination, oldest first, that have no delivery; a site that is deleted loses its deliveries first. */
export const listPendingAlerts = (since: Date): Query<PendingAlert> => ({
  name: 'listPendingAlerts',
  statement: sql`
    SELECT tenant_id AS tenantId, toString(alerts.id) AS alertId, arrayJoin(destinations) AS destinationId, kind,
      event_type AS eventType, site_id AS siteId, site_ids AS siteIds, subjects, summary, payload,
      JSONExtractString(payload, 'data', 'pageId') AS pageId,
      multiIf(pageId != '', pageId, kind = 'digest', 'digest', empty(subjects), alertId,
        concat(event_type, ' ', replaceOne(subjects[1], ${text(endSuffix)}, ''))) AS thread,
      occurred_at AS occurredAt, detected_at AS detectedAt
    FROM alerts FINAL
    WHERE detected_at >= ${at(since)} AND (tenantId, alertId, destinationId) NOT IN (
      SELECT tenant_id, alert_id, destination_id
      FROM alert_deliveries
      WHERE created_at >= ${at(since)})
      AND (site_id IS NULL OR (tenant_id, assumeNotNull(site_id)) IN (SELECT tenant_id, id FROM sites FINAL))
    ORDER BY detectedAt, alertId, destinationId`,
  row: pendingAlertRow,
})

const recentAlertRow = z.object({
  eventType: z.string(),
  siteId: z.string().nullable(),
  summary: z.string(),
  occurredAt: rowTime,
  detectedAt: rowTime,
  isEnd: z.boolean(),
  destinations: rowTexts,
  digestTo: rowTexts,
})

export type RecentAlert = z.infer<typeof recentAlertRow>

/** Alerts created within the time, oldest first. */
export const listRecentAlerts = (tenantId: string, from: Date, to: Date): Query<RecentAlert> => ({
  name: 'listRecentAlerts',
  statement: sql`
    SELECT event_type AS eventType, site_id AS siteId, summary, occurred_at AS occurredAt,
      detected_at AS detectedAt, endsWith(subjects[1], ${text(endSuffix)})::Bool AS isEnd, destinations, digest_to AS digestTo
    FROM alerts FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND kind = 'immediate' AND detected_at >= ${at(from)}
      AND detected_at < ${at(to)}
    ORDER BY detected_at, id`,
  row: recentAlertRow,
})
