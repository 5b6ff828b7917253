/** @module Receiver of the alerts of the payment page of `npm start`, which lists them. */

import type { Env, Hono } from 'hono'
import { demoTenant } from '../../fixtures/demo-tenants.ts'
import { listAlertRules } from '../../queries/alerts/rules.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { alertEvents } from '../../schema/alert-events.ts'
import type { AlertRule } from '../../schema/alert-rule.ts'
import type { Config } from '../config.ts'
import { importObjects } from '../import/records/import-objects.ts'
import { alertRules } from '../import/records/types/alert-rules.ts'
import { sealDestination } from '../worker/alerts/deliver/destination.ts'
import { secretsKeys } from '../worker/alerts/deliver/secrets-keys.ts'

const hookPath = '/demo/hook'
const listPath = '/demo/alerts'

const destinationId = 'dst_demo_alerts'

const listed = 20
const maxBytes = 32 * 1024

/** Mounts a webhook, and the list of its latest messages. */
export function mountPayAlerts<E extends Env>(app: Hono<E>): void {
  const alerts: unknown[] = []
  app.post(hookPath, async (c) => {
    if (!(Number(c.req.header('content-length')) <= maxBytes)) return c.body(null, 413)
    alerts.unshift(await c.req.json())
    alerts.splice(listed)
    return c.body(null, 204)
  })
  app.get(listPath, (c) => c.json({ alerts }))
}

/** Rules and destination, whose port a start can change. Returns the address of the list. */
export async function importPayAlerts(database: Database, config: Config, collectorUrl: string): Promise<string> {
  const { origin } = new URL(hookPath, `http://127.0.0.1:${new URL(collectorUrl).port}`)
  const tenantId = demoTenant.id
  const site = demoTenant.sites.find(({ hosts }) => hosts.includes('localhost'))
  const destination = {
    tenantId,
    id: destinationId,
    name: 'This page',
    type: 'webhook',
    address: origin + hookPath,
  } as const
  await insertRows(database, 'alert_destinations', [sealDestination(destination, secretsKeys(config, true)).row])
  const rules = alertEvents.map((eventType): AlertRule => {
    return { id: `rule_demo_${eventType}`, siteId: site?.id ?? '', eventType, kind: 'immediate', destinationId }
  })
  // A rule covers changes since its creation, so the rule of an earlier start remains.
  const stored = new Set((await database.read(listAlertRules(tenantId))).map(({ id }) => id))
  const missing = rules.filter(({ id }) => !stored.has(id))
  await importObjects({ type: alertRules, database, tenantId }, missing)
  return origin + listPath
}
