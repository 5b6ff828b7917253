/** @module A payment page that `npm start` serves and scans, so that grades, changes and evidence move within minutes. */

import { randomBytes } from 'node:crypto'
import type { Env, Hono } from 'hono'
import { demoScenarios } from '../../fixtures/demo-scenarios.ts'
import { demoTenant } from '../../fixtures/demo-tenants.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { minuteMs } from '../../schema/durations.ts'
import type { PageRecord } from '../../schema/responses/monitored-page.ts'
import type { Config } from '../config.ts'
import { importObjects } from '../import/records/import-objects.ts'
import { monitoredPages } from '../import/records/types/monitored-pages.ts'
import { outboundHost } from '../worker/fetch/outbound-hosts.ts'
import type { IntervalOf } from '../worker/scans/list-due-pages.ts'

const path = '/demo/pay'
const pageId = '5ec0de00-0000-4000-8000-000000010801'

/** The policy is sent for so long, and then for so long not. */
const phaseMs = 3 * minuteMs
const scanEveryMs = 2 * minuteMs

const otherHeaders = {
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'camera=(), geolocation=()',
  'Cache-Control': 'no-store',
}

const policy = (nonce: string) =>
  `default-src 'self'; script-src 'nonce-${nonce}' 'strict-dynamic'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'`

/** @param origin of the same server under another name. */
const html = (nonce: string, origin: string) => `<!doctype html>
<html lang="en">
  <title>A payment page</title>
  <link rel="icon" href="data:,">
  <p>A payment page of the demo. Its Content-Security-Policy is on for three minutes, then off for three.</p>
  <script nonce="${nonce}" src="${path}/card-form.js"></script>
  <script nonce="${nonce}" src="${origin}${path}/wallet.js" crossorigin="anonymous"></script>
</html>
`

/** Mounts the page and its scripts; one script has another origin. */
export function mountPayPage<E extends Env>(app: Hono<E>, now = Date.now): void {
  app.get(path, (c) => {
    const nonce = randomBytes(16).toString('base64')
    const isSent = Math.floor(now() / phaseMs) % 2 === 0
    const headers = { ...otherHeaders, ...(isSent && { 'Content-Security-Policy': policy(nonce) }) }
    return c.html(html(nonce, `http://localhost:${new URL(c.req.url).port}`), 200, headers)
  })
  for (const name of ['card-form', 'wallet']) {
    app.get(`${path}/${name}.js`, (c) =>
      c.body(`document.documentElement.dataset.${name.replace('-', '')} = 'ready'\n`, 200, {
        'Content-Type': 'text/javascript',
        'Access-Control-Allow-Origin': '*',
      }),
    )
  }
}

const site = demoTenant.sites.find(({ hosts }) => hosts.includes('localhost'))

export const payPageScansPath = `/v1/sites/${site?.id}/pages/${pageId}/scans?limit=3`

/** The page uses the collector's port, which can change at a start. */
export async function importPayPage(database: Database, collectorUrl: string): Promise<string> {
  const url = `http://127.0.0.1:${new URL(collectorUrl).port}${path}`
  const named = { kind: 'payment', label: 'Payment page of the demo', position: 0 } as const
  const page: PageRecord = { ...named, id: pageId, siteId: site?.id ?? '', pattern: url, scanUrl: url }
  await importObjects({ type: monitoredPages, database, tenantId: demoTenant.id }, [page])
  return url
}

/**
 * The page is scanned every two minutes, other demo pages never, because their hosts do not exist. Reported scripts are
 * not fetched.
 */
export function payPageScans(config: Config, collectorUrl: string) {
  const { port } = new URL(collectorUrl)
  const opened = ['127.0.0.1', 'localhost'].map((host) => outboundHost.parse(`${host}:${port || 80}`))
  const ofOthers = (scanUrl: string) =>
    new URL(scanUrl).hostname.endsWith('.test') ? undefined : config.SCAN_EVERY_HOURS * 60 * minuteMs
  const intervalOf: IntervalOf = ({ id, scanUrl }) => (id === pageId ? scanEveryMs : ofOthers(scanUrl))
  const capturesOf = (tenantId: string) => !demoScenarios.some(({ tenant }) => tenant.id === tenantId)
  return { config: { ...config, OUTBOUND_ALLOWED: [...config.OUTBOUND_ALLOWED, ...opened] }, intervalOf, capturesOf }
}
