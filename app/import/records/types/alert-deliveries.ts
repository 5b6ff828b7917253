import { z } from 'zod'
import { toClickHouseTime } from '../../../../queries/sql/sql.ts'
import { moment, recordUuid } from '../../../../schema/record-fields.ts'
import { alertDelivery } from '../../../../schema/responses/alert-delivery.ts'
import { recordType } from '../record-type.ts'
import { scrub } from '../scrub.ts'

const { detail, createdAt } = alertDelivery.shape

/** UTF-16 units before scrubbing, and after it. */
const maxDetailLength = 4_000
/** Subjects of an alert. */
const maxScanIds = 1_000

const scrubbedLength = { detail: 500, name: 200 } as const

export const alertDeliveries = recordType({
  name: 'alert-deliveries',
  label: 'alert deliveries',
  endpointPath: '/v1/alert-deliveries',
  schema: alertDelivery
    .extend({
      detail: z
        .string()
        .max(maxDetailLength)
        .nullable()
        .describe(detail.description ?? ''),
      createdAt: moment.describe(createdAt.description ?? ''),
      scanIds: z
        .array(recordUuid)
        .max(maxScanIds)
        .default([])
        .meta({ description: 'Scans whose changes the alert is about. Responses do not include it.' }),
    })
    .refine(({ destination: { name, type } }) => (name === null) === (type === null), {
      path: ['destination', 'type'],
      error: 'must be null if and only if destination.name is null',
    })
    .refine(({ destination: { name } }) => name === null || scrub(name, scrubbedLength.name) !== '', {
      path: ['destination', 'name'],
      error: 'must have a visible character',
    })
    .refine(({ destination, outcome }) => destination.name !== null || outcome === 'dropped', {
      path: ['outcome'],
      error: 'must be dropped if the destination was deleted before sending',
    }),
  foreignKeys: { siteId: 'site', siteIds: 'site' },
  table: 'alert_deliveries',
  immutable: { createdAt: 'created_at' },
  toRow: ({ destination, ...delivery }) => ({
    created_at: toClickHouseTime(delivery.createdAt),
    id: delivery.id,
    alert_id: delivery.alertId,
    kind: delivery.kind,
    outcome: delivery.outcome,
    detail: scrub(delivery.detail ?? '', scrubbedLength.detail),
    destination_id: destination.id,
    destination_name: scrub(destination.name ?? '', scrubbedLength.name),
    destination_type: destination.type ?? '',
    event_type: delivery.eventType ?? '',
    site_id: delivery.siteId,
    site_ids: delivery.siteIds,
    scan_ids: delivery.scanIds,
    // Only immediate alerts have one.
    summary: delivery.kind === 'immediate' ? (delivery.summary ?? '') : '',
  }),
  example: {
    id: 'delivery-1',
    alertId: 'alert-1',
    kind: 'immediate',
    outcome: 'rejected',
    detail: 'webhook answered 500 to https://hooks.example.com/T024/secret',
    destination: { id: 'dest-1', name: 'On-call webhook', type: 'webhook' },
    eventType: 'csp.new_issue',
    siteId: null,
    siteIds: [],
    summary: 'New issue: script-src blocks cdn.example.net',
    createdAt: '2026-01-31T12:00:00.000Z',
  },
})
