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
