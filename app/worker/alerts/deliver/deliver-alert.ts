/** @module One attempt to send an alert to a destination, recorded before it is made and after its outcome. */

import { once } from 'node:events'
import type { Logger } from 'pino'
import type { PendingAlert } from '../../../../queries/alerts/alerts.ts'
import type { Attempts } from '../../../../queries/alerts/deliveries.ts'
import type { StoredDestination } from '../../../../queries/alerts/rules.ts'
import type { Database } from '../../../../queries/clickhouse/database.ts'
import { toClickHouseTime } from '../../../../queries/sql/sql.ts'
import { uuidV5 } from '../../../../schema/rules/uuid-v5.ts'
import { scrub } from '../../../import/records/scrub.ts'
import { reasonOf } from '../../../program/log-outage.ts'
import type { WorkerMetrics } from '../../worker-metrics.ts'
import { maxAttempts, nextAttemptAt } from './back-off.ts'
import { openDestination } from './destination.ts'
import { messageText } from './message-text.ts'
import { type DeliveryOutcome, recordDelivery } from './record-delivery.ts'
import { sendEmail } from './send-email.ts'
import { sendSlack } from './send-slack.ts'
import { sendWebhook } from './send-webhook.ts'
import { failed, type Send, type SendResult, type SendSettings } from './sender.ts'
import { whereToLook } from './where-to-look.ts'

export interface Delivery {
  readonly database: Pick<Database, 'read' | 'insert'>
  readonly now: () => Date
  readonly settings: SendSettings
  /** Throws an Error of one line if there is no key. */
  readonly keys: () => readonly Buffer[]
  readonly checkLease: () => Promise<void>
  /** Stores a row of alert_attempts. */
  readonly storeAttempt: (attempt: object) => Promise<void>
  readonly stopping: AbortSignal
  /** Aborts sends in flight. */
  readonly cut: AbortSignal
  /** Outcomes by delivery that could not be recorded: they are not sent again. */
  readonly unrecorded: Map<string, Ended>
  readonly log: Logger
  readonly metrics: Pick<WorkerMetrics, 'countDelivery' | 'setOldestAlert'>
}

interface Ended {
  readonly at: Date
  readonly outcome: DeliveryOutcome
}

const maxFailureLength = 500

const senders: Readonly<Record<StoredDestination['type'], Send>> = {
  webhook: sendWebhook,
  slack: sendSlack,
  email: sendEmail,
}

/** False without an outcome, so that later alerts of the subject wait. Throws if another worker has the lease. */
export async function deliverAlert(
  delivery: Delivery,
  alert: PendingAlert,
  before: Attempts | undefined,
  destination: StoredDestination | undefined,
): Promise<boolean> {
  const { database, now, checkLease, storeAttempt, unrecorded, metrics } = delivery
  const { tenantId, alertId, destinationId } = alert
  const log = delivery.log.child({ tenantId, alertId, destinationId })
  const deliveryId = uuidV5(alertId, destinationId)
  const lastAt = before && new Date(before.lastAt)
  const count = before?.count ?? 0

  async function end(at: Date, outcome: DeliveryOutcome): Promise<true> {
    unrecorded.set(deliveryId, { at, outcome })
    try {
      await recordDelivery(database, { deliveryId, alert, destination, at }, outcome)
    } catch (error) {
      log.error({ reason: reasonOf(error) }, 'Failed to record a delivery')
      return true
    }
    unrecorded.delete(deliveryId)
    metrics.countDelivery(destination?.type ?? 'removed', outcome.outcome)
    if (outcome.detail !== null) log.warn(outcome, 'Failed to deliver an alert')
    return true
  }

  const ended = unrecorded.get(deliveryId)
  if (ended) return end(ended.at, ended.outcome)
  if (!destination) return end(now(), { outcome: 'dropped', detail: 'The destination was removed' })
  if (lastAt && count >= maxAttempts)
    return end(lastAt, { outcome: 'rejected', detail: before?.failure || 'The worker ended during the last attempt' })
  const retryAt = before && new Date(before.retryAt)
  if (nextAttemptAt({ deliveryId, count, lastAt, retryAt }) > now().getTime()) return false
  await checkLease()
  const at = now()
  const attempt = { tenant_id: tenantId, alert_id: alertId, destination_id: destinationId, at: toClickHouseTime(at) }
  // Stored first, so that attempts are counted even if the alert crashes the worker.
  await storeAttempt(attempt)
  const result = await send(delivery, destination, { deliveryId, at, alert })
  if (result.isSent) return end(at, { outcome: 'delivered', detail: null })
  if (result.isFinal || count + 1 >= maxAttempts || alert.kind === 'test')
    return end(at, { outcome: 'rejected', detail: result.failure })
  const retry = result.retryAt && { retry_at: toClickHouseTime(result.retryAt) }
  await storeAttempt({ ...attempt, failure: result.failure, ...retry })
  log.warn({ attempt: count + 1, detail: result.failure }, 'Failed to deliver an alert; it will be sent again')
  return false
}

async function send(
  { keys, settings, cut }: Delivery,
  stored: StoredDestination,
  { deliveryId, at, alert }: { readonly deliveryId: string; readonly at: Date; readonly alert: PendingAlert },
): Promise<SendResult> {
  try {
    const destination = openDestination(stored, keys())
    const { tenantId } = alert
    const thread = uuidV5(tenantId, alert.thread)
    const { type, timestamp, data } = whereToLook(JSON.parse(alert.payload), tenantId, settings.publicUrl)
    const message = { type, timestamp, data: { ...data, thread } }
    const { url, siteId, siteName } = data
    const summary = siteName === undefined ? alert.summary : `${siteName}: ${alert.summary}`
    const texts = { summary, payload: JSON.stringify(message), text: messageText(message) }
    const outgoing = { deliveryId, at, thread, siteId, url, ...texts }
    const sending = senders[stored.type](destination, outgoing, settings)
    const result = await untilCut(sending, cut)
    return result.isSent ? result : { ...result, failure: scrub(result.failure, maxFailureLength) }
  } catch (error) {
    return failed({ message: scrub(reasonOf(error), maxFailureLength) })
  }
}

async function untilCut(sending: Promise<SendResult>, cut: AbortSignal): Promise<SendResult> {
  const stopped = failed({ message: 'The worker was stopped before the response' })
  if (cut.aborted) return stopped
  const waiting = new AbortController()
  const toStopped = () => stopped
  const aborted = once(cut, 'abort', { signal: waiting.signal }).then(toStopped, toStopped)
  try {
    return await Promise.race([sending, aborted])
  } finally {
    waiting.abort()
  }
}
