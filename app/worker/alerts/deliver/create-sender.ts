/**
 * @module The outbox: alerts without a delivery are sent until they have one. There is no other record of unsent
 * alerts. A thread has the alerts of a destination about one subject, and waits for no other thread.
 */

import { setMaxListeners } from 'node:events'
import pLimit, { type LimitFunction } from 'p-limit'
import { listPendingAlerts, type PendingAlert } from '../../../../queries/alerts/alerts.ts'
import { listAttempts } from '../../../../queries/alerts/deliveries.ts'
import { listDestinations, type StoredDestination } from '../../../../queries/alerts/rules.ts'
import { insertRows } from '../../../../queries/clickhouse/insert-rows.ts'
import { dayMs, minuteMs } from '../../../../schema/durations.ts'
import { groupBy } from '../../../../schema/rules/group-by.ts'
import { type Delivery, deliverAlert } from './deliver-alert.ts'
import { joinInserts } from './join-inserts.ts'

/** Attempts expire after this time. */
const pendingMs = 7 * dayMs

/** A thread that waited longer is read again: its destination or site may be deleted. */
const readMs = minuteMs

/** Slack limits a webhook to one message per second, in short bursts more. */
const maxPerDestination = 4

/** A connection with TLS takes about 100 KB. Fifty dead receivers occupy 200 of them for 10 s. */
const maxPosts = 256

/** Mail has one server; Postfix accepts 50 connections of a client. */
const maxMails = 20

/** Sends due alerts and stores each outcome. */
export function createSender(delivery: Omit<Delivery, 'checkLease' | 'storeAttempt' | 'unrecorded'>) {
  const { database, now, metrics, stopping } = delivery
  // One listener per send.
  setMaxListeners(0, delivery.cut)
  const unrecorded: Delivery['unrecorded'] = new Map()
  const storeAttempt = joinInserts<object>((rows) => insertRows(database, 'alert_attempts', rows))
  const running = new Map<string, Promise<void>>()
  const [posts, mails, limits] = [pLimit(maxPosts), pLimit(maxMails), new Map<string, LimitFunction>()]
  let broken: { readonly error: unknown } | undefined
  let checking: Promise<void> | undefined

  function limited(key: string, type: StoredDestination['type'] | undefined, task: () => Promise<void>) {
    const ofDestination = limits.get(key) ?? pLimit(maxPerDestination)
    limits.set(key, ofDestination)
    return ofDestination(() => (type === 'email' ? mails : posts)(task))
  }

  /** Starts the threads that are not running. Throws the error that ended a thread. */
  async function pass(checkOwn: () => Promise<void>): Promise<void> {
    if (broken) throw broken.error
    // Before the read, which can lack the deliveries of threads that end during it.
    const noted = new Set(running.keys())
    const readAt = now().getTime()
    const pending = await database.read(listPendingAlerts(new Date(readAt - pendingMs)))
    const [oldest] = pending
    metrics.setOldestAlert(oldest ? readAt - Date.parse(oldest.detectedAt) : 0)
    const threads = [...groupBy(pending, threadKey)].filter(([key]) => !noted.has(key))
    if (threads.length === 0) return
    const ids = (field: 'tenantId' | 'alertId') => [
      ...new Set(threads.flatMap(([, alerts]) => alerts.map((alert) => alert[field]))),
    ]
    const [attempts, stored] = await Promise.all([
      database.read(listAttempts(ids('tenantId'), ids('alertId'))),
      database.read(listDestinations()),
    ])
    const attemptsOf = new Map(attempts.map((one) => [`${one.alertId}\n${one.destinationId}`, one]))
    const destinationOf = new Map(stored.map((one) => [`${one.tenantId}\n${one.id}`, one]))
    // A check that another thread began a moment ago renewed the lease too.
    const checkLease = () => {
      checking ??= checkOwn().finally(() => {
        checking = undefined
      })
      return checking
    }
    async function send(alerts: readonly PendingAlert[], destination: StoredDestination | undefined) {
      for (const alert of alerts.toSorted((a, b) => Date.parse(a.occurredAt) - Date.parse(b.occurredAt))) {
        if (stopping.aborted || broken || now().getTime() - readAt > readMs) return
        const before = attemptsOf.get(`${alert.alertId}\n${alert.destinationId}`)
        if (!(await deliverAlert({ ...delivery, storeAttempt, unrecorded, checkLease }, alert, before, destination)))
          return
      }
    }
    for (const [key, alerts] of threads) {
      const [{ tenantId, destinationId } = {}] = alerts
      const owner = `${tenantId}\n${destinationId}`
      const destination = destinationOf.get(owner)
      const thread = limited(owner, destination?.type, () => send(alerts, destination))
        .catch((error) => {
          broken ??= { error }
        })
        .finally(() => running.delete(key))
      running.set(key, thread)
    }
  }

  return {
    pass,
    /** Waits for all threads. Throws the error that ended one. */
    async settled(): Promise<void> {
      await Promise.all(running.values())
      const ended = broken
      broken = undefined
      if (ended) throw ended.error
    },
  }
}

const threadKey = ({ tenantId, destinationId, thread }: PendingAlert) => [tenantId, destinationId, thread].join('\n')
