/** @module Tenants with destinations, rules and pages, a receiver of webhooks, and passes of alerts at times of the test's own. */

import { randomBytes, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { expect } from 'vitest'
import { readConfig } from '../../app/config.ts'
import { monitoredPages } from '../../app/import/records/types/monitored-pages.ts'
import type { AlertMessage } from '../../app/worker/alerts/alert-message.ts'
import { createSender } from '../../app/worker/alerts/deliver/create-sender.ts'
import { sealDestination } from '../../app/worker/alerts/deliver/destination.ts'
import { alertSettings, createDetection } from '../../app/worker/alerts/run-alerts.ts'
import { createWorkerMetrics } from '../../app/worker/worker-metrics.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../queries/sql/sql.ts'
import type { AlertEvent } from '../../schema/alert-events.ts'
import { alertEvents } from '../../schema/alert-events.ts'
import { startApi } from './api.ts'
import { queryRows, type TestDatabase } from './database.ts'
import { documentedFields } from './message-fields.ts'
import { createMigratedDatabase } from './migrated-database.ts'
import { patientMs } from './patience.ts'
import { startWebServer } from './web-server.ts'

export interface Received {
  readonly path: string
  readonly id: string
  readonly message: AlertMessage
}

const secretsKey = randomBytes(32).toString('base64')

export const workerEnvironment = { OUTBOUND_ALLOWED: '127.0.0.1:*', SECRETS_KEY: secretsKey }

export type AlertWorld = Awaited<ReturnType<typeof createAlertWorld>>

/** @param environment beside `workerEnvironment`. @param own a new database by default. */
export async function createAlertWorld(
  environment: Readonly<Record<string, string>> = {},
  own?: Pick<TestDatabase, 'readUrl' | 'writeUrl' | 'writer'>,
) {
  const database = own ?? (await createMigratedDatabase())
  const api = await startApi(database)
  const received: Received[] = []
  const undocumented: string[] = []
  const logged: string[] = []
  let handle: (received: Received, response: ServerResponse) => unknown = (_, response) => response.writeHead(204).end()
  const web = await startWebServer(async (request, response) => {
    const message = JSON.parse(await text(request)) as AlertMessage
    const one = { path: request.url ?? '', id: String(request.headers['webhook-id']), message }
    const documented = new Set([...(documentedFields.get('data') ?? []), ...(documentedFields.get(message.type) ?? [])])
    undocumented.push(...Object.keys(message.data ?? {}).filter((field) => !documented.has(field)))
    received.push(one)
    handle(one, response)
  })
  const config = readConfig({ ...workerEnvironment, ...environment })
  let clock = Date.now()
  const metrics = createWorkerMetrics()
  const { settings, ...keysAndHour } = alertSettings(config)
  const loop = {
    ...keysAndHour,
    settings: { ...settings, timeoutMs: patientMs },
    database: database.writer,
    now: () => new Date(clock),
    metrics,
    stopping: new AbortController().signal,
    cut: new AbortController().signal,
    log: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }),
  }
  const [detect, sender] = [createDetection(loop), createSender(loop)]

  async function addDestination(tenantId: string, path: string, type: 'webhook' | 'slack' = 'webhook') {
    const given = { tenantId, id: randomUUID(), name: 'On-call', type, address: `${web.origin}${path}` }
    const { row } = sealDestination(given, [Buffer.from(secretsKey, 'base64')])
    await insertRows(database.writer, 'alert_destinations', [row])
    return given.id
  }

  /** @param since when it was written. */
  async function addRule(tenantId: string, eventType: AlertEvent, destinationId: string, given: RuleOptions = {}) {
    const { kind = 'immediate', since = 0, siteId = null, minReports = 0, minBrowsers = 0 } = given
    const rule = {
      tenant_id: tenantId,
      id: randomUUID(),
      site_id: siteId,
      event_type: eventType,
      kind,
      destination_id: destinationId,
      min_reports: minReports,
      min_browsers: minBrowsers,
    }
    const times = { enabled: true, updated_at: toClickHouseTime(new Date(since)) }
    await insertRows(database.writer, 'alert_rules', [{ ...rule, ...times }])
    return rule.id
  }

  return {
    api,
    database,
    web,
    received,
    logged,
    metrics,
    addDestination,
    addRule,
    setClock(time: number) {
      clock = time
    },
    respond(handler: typeof handle) {
      handle = handler
    },
    /** One pass that does not wait for its sends. @param time of the pass; now by default. */
    async start(time = Date.now()): Promise<void> {
      clock = time
      await detect(async () => {})
      await sender.pass(async () => {})
    },
    settled: sender.settled,
    /** What the receiver got in one pass. @param time of the pass; now by default. */
    async pass(time = Date.now()): Promise<Received[]> {
      clock = time
      received.length = 0
      await detect(async () => {})
      await sender.pass(async () => {})
      await sender.settled()
      return [...received]
    },
    /** A tenant with one site, one payment page and immediate rules for every event to one webhook, by default for every new issue. */
    async createShop(given: RuleOptions = { minReports: 1 }) {
      const tenantId = await api.createTenant()
      const siteId = await api.createSite(tenantId, { name: 'Shop' })
      const pageId = randomUUID()
      const path = `/in/${pageId}`
      const page = { kind: 'payment', label: 'Checkout', pattern: 'https://shop.example.test/pay', position: 0 }
      await api.importRecords(tenantId, monitoredPages, [{ id: pageId, siteId, scanUrl: page.pattern, ...page }])
      const destinationId = await addDestination(tenantId, path)
      for (const event of alertEvents) await addRule(tenantId, event, destinationId, given)
      return { tenantId, siteId, pageId, destinationId, key: await api.createKey(tenantId) }
    },
    /** Of the tenants so far, which later passes then skip. */
    forgetRules: () => database.writer.command('TRUNCATE TABLE alert_rules'),
    deliveriesOf: (tenantId: string) =>
      queryRows(
        database.writer,
        `SELECT id, alert_id, destination_id, outcome, detail, event_type FROM alert_deliveries
         WHERE tenant_id = '${tenantId}' ORDER BY created_at, id`,
      ),
    async close() {
      expect(undocumented).toEqual([])
      await Promise.all([api.close(), web.close()])
      if ('drop' in database) await (database as TestDatabase).drop()
    },
  }
}

interface RuleOptions {
  readonly kind?: 'immediate' | 'digest'
  readonly since?: number
  /** Every site by default. */
  readonly siteId?: string
  readonly minReports?: number
  readonly minBrowsers?: number
}
