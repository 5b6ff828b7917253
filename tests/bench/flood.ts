/** @module Invented reports to one site: inventory, advice, verdict and alerts of true issues must be as without them. */

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { pino } from 'pino'
import { makeSiteToken } from '../../app/collector/site-address.ts'
import { readConfig } from '../../app/config.ts'
import { monitoredPages } from '../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../app/import/records/types/scans.ts'
import { scriptDecisions } from '../../app/import/records/types/script-decisions.ts'
import { createSender } from '../../app/worker/alerts/deliver/create-sender.ts'
import { sealDestination } from '../../app/worker/alerts/deliver/destination.ts'
import { alertSettings, createDetection } from '../../app/worker/alerts/run-alerts.ts'
import { createWorkerMetrics } from '../../app/worker/worker-metrics.ts'
import { migrate } from '../../clickhouse/migrate.ts'
import { aReport } from '../../fixtures/reports.ts'
import { fetches, scannedScript } from '../../fixtures/scanned-scripts.ts'
import { completeScan, sending } from '../../fixtures/scans.ts'
import { connect } from '../../queries/clickhouse/client.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { dayMs, minuteMs } from '../../schema/durations.ts'
import { reportsPerMinute } from '../../schema/plans.ts'
import { startTestEngine } from '../support/engine.ts'
import { createTenantWriter } from '../support/tenants.ts'
import { integerOption } from './bench-options.ts'
import { type Cleanup, createCleanup } from './cleanup.ts'
import { measuringCommand, printLine, runCommand } from './run-command.ts'
import { startRunningApi } from './running-api.ts'
import { startRunningCollector } from './running-collector.ts'

const host = 'shop.example.test'
const pay = `https://${host}/pay`
const policy = "default-src 'self'; img-src 'self'"
const reportsPerPost = 1_000
const alertedWithinMs = 2 * minuteMs

const flood = measuringCommand('npm run bench:flood --', {
  about: 'Post invented reports to one site, and compare what it is known by with before.',
  notes: [
    'Half of the reports are violations of invented hosts, half invented scripts of a payment page; each 100th quotes an invented policy.',
    'Exit codes: 0, 1 if the flood changed the decided scripts, the advice, the verdict or the alerts of true issues, 2 if nothing was compared.',
  ],
  examples: ['--reports 300000'],
})
  .addOption(integerOption('--reports <N>', [1_000, 100_000_000], 300_000, 'Invented reports'))
  .action(async ({ reports }) => {
    const cleanup = createCleanup()
    try {
      process.exitCode = (await compare(cleanup, reports)) ? 0 : 1
    } finally {
      await cleanup.run()
    }
  })

type Site = Awaited<ReturnType<typeof startSite>>

/** A site with two authorized scripts, one rejected script in a scan, a known image, and a webhook for new issues. */
async function startSite(cleanup: Cleanup) {
  const engine = await startTestEngine()
  cleanup.defer(() => engine.end())
  const { userUrls, dataDir } = engine
  const database = connect(userUrls.writer)
  cleanup.defer(() => database.close())
  await migrate(database)
  const writer = createTenantWriter(database)
  const tenantId = await writer.createTenant()
  const token = makeSiteToken()
  const siteId = await writer.createSite(tenantId, {
    hosts: [host],
    token,
    reportsPerMinute: reportsPerMinute.business,
  })
  const sister = { token: makeSiteToken(), id: '' }
  sister.id = await writer.createSite(tenantId, { hosts: [host], token: sister.token, name: 'Sister' })
  // The first day of a site is one message.
  const old = {
    tenantId,
    receivedAt: Date.now() - 3 * dayMs,
    directive: 'img-src',
    blockedHost: 'old.test',
    issueSubject: 'img-src',
    issueHost: 'old.test',
  }
  await writer.insertReports([siteId, sister.id].map((id) => aReport({ ...old, siteId: id, id: randomUUID() })))
  const pageId = randomUUID()
  const named = { siteId, kind: 'payment', label: 'Pay', position: 0 }
  await writer.importRecords(tenantId, monitoredPages, [{ id: pageId, ...named, pattern: pay, scanUrl: pay }])
  const urls = ['a', 'b', 'rejected'].map((name) => `https://cdn.example.test/${name}.js`)
  const decidedAt = new Date(Date.now() - 2 * dayMs).toISOString()
  const decisions = urls.map((url, index) => ({
    id: randomUUID(),
    siteId,
    url,
    status: index < 2 ? 'authorized' : 'rejected',
    decidedAt,
    integrityMode: index < 2 ? 'any_content' : null,
    decidedBy: { name: null, email: 'ada@example.test' },
  }))
  await writer.importRecords(tenantId, scriptDecisions, decisions)
  const scan = completeScan({
    id: randomUUID(),
    pageId,
    scannedAt: new Date(Date.now() - minuteMs).toISOString(),
    scanUrl: pay,
    headers: sending({ 'content-security-policy-report-only': policy }),
    scripts: urls.map((url) => scannedScript(url, fetches.readable, { release: 1 })),
  })
  const sources = [{ directive: 'img-src', source: 'https://img.known.test' }]
  await writer.importRecords(tenantId, scans, [{ ...scan, result: { ...scan.result, sources } }])
  const api = await startRunningApi(userUrls.reader)
  cleanup.defer(() => api.stop())
  const collector = await startRunningCollector({ dataDir, engineUrl: userUrls.writer, cleanup })
  const { key } = await writer.createKey(tenantId)
  const alerts = await startAlerts(cleanup, database, tenantId)
  return { database, tenantId, siteId, token, sister, alerts, api: api.url, collector: collector.url, key }
}

async function startAlerts(cleanup: Cleanup, database: ReturnType<typeof connect>, tenantId: string) {
  const summaries: string[] = []
  const web = createServer(async (request, response) => {
    summaries.push(((await json(request)) as { data: { summary: string } }).data.summary)
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  cleanup.defer(async () => web.close())
  const { port } = web.address() as { port: number }
  const secretsKey = Buffer.alloc(32, 1)
  const config = readConfig({ OUTBOUND_ALLOWED: '127.0.0.1:*', SECRETS_KEY: secretsKey.toString('base64') })
  const address = `http://127.0.0.1:${port}/`
  const given = { tenantId, id: randomUUID(), name: 'On-call', type: 'webhook', address } as const
  await insertRows(database, 'alert_destinations', [sealDestination(given, [secretsKey]).row])
  const rule = { tenant_id: tenantId, id: randomUUID(), site_id: null, event_type: 'csp.new_issue', kind: 'immediate' }
  const times = { enabled: true, updated_at: '2020-01-01 00:00:00.000' }
  await insertRows(database, 'alert_rules', [{ ...rule, destination_id: given.id, ...times }])
  const signal = new AbortController().signal
  const loop = {
    ...alertSettings(config),
    database,
    now: () => new Date(),
    metrics: createWorkerMetrics(),
    stopping: signal,
    cut: signal,
    log: pino({ level: 'warn' }),
  }
  const [detect, sender] = [createDetection(loop), createSender(loop)]
  const pass = async () => {
    await detect(async () => {})
    await sender.pass(async () => {})
    await sender.settled()
  }
  return { summaries, pass }
}

const userAgents = ['Chrome/140.0.0.0 Safari/537.36', 'Firefox/145.0'].map((name) => `Mozilla/5.0 (X11; Linux) ${name}`)

async function post({ collector }: Site, token: string, reports: readonly object[], userAgent = userAgents[0] ?? '') {
  const headers = { 'content-type': 'application/reports+json', 'user-agent': userAgent }
  const response = await fetch(`${collector}/r/${token}`, { method: 'POST', headers, body: JSON.stringify(reports) })
  if (response.status !== 204) throw new Error(`A post got ${response.status}`)
}

function violation(blockedURL: string, { originalPolicy = policy, page = 0 } = {}) {
  const url = `https://${host}/${page}`
  const body = { documentURL: url, effectiveDirective: 'img-src', blockedURL, disposition: 'report', originalPolicy }
  return { type: 'csp-violation', age: 0, url, body }
}

function invented(index: number) {
  if (index % 2 === 0) {
    const originalPolicy = index % 100 === 0 ? `default-src *; img-src h${index}.example` : policy
    return violation(`https://h${index}.invented.test/x`, { originalPolicy, page: index % 5 })
  }
  const body = {
    documentURL: pay,
    subresourceURL: `https://s${index}.invented.test/x.js`,
    hash: '',
    type: 'subresource',
  }
  return { type: 'csp-hash', age: 0, url: pay, body: { ...body, destination: 'script' } }
}

/** What must not change. */
async function readKnown({ api, siteId, key }: Site) {
  const read = async (path: string) => {
    const response = await fetch(api + path, { headers: { authorization: `Bearer ${key}` } })
    if (!response.ok) throw new Error(`${path} got ${response.status}`)
    return JSON.parse(await response.text())
  }
  const scripts = await read(`/v1/sites/${siteId}/scripts?limit=1000`)
  const advice = await read(`/v1/sites/${siteId}/csp-policies/advice?newDays=0`)
  const verdict = await read(`/v1/compliance/pci-dss?siteId=${siteId}`)
  const [{ facts, gaps }] = verdict.data.requirements
  return {
    decided: scripts.data.filter(({ status }: { status: string }) => status !== 'unreviewed').length,
    advice: [advice.data.base, advice.data.policy.text, advice.data.proposed?.text],
    verdict: [
      facts.authorized,
      facts.rejected,
      gaps.some((gap: { kind: string }) => gap.kind === 'rejected_scripts_running'),
    ],
  }
}

async function compare(cleanup: Cleanup, count: number): Promise<boolean> {
  const site = await startSite(cleanup)
  // Ten reports by two families have high confidence.
  for (const agent of userAgents) {
    const known = Array.from({ length: 6 }, (_, page) => violation('https://img.known.test/a.png', { page }))
    await post(site, site.token, known, agent)
  }
  let before = await readKnown(site)
  // Posts wait in the collector's log.
  while (!before.advice.every(Boolean)) before = await readKnown(site)
  await site.alerts.pass()
  site.alerts.summaries.length = 0
  const started = performance.now()
  for (let from = 0; from < count; from += reportsPerPost) {
    const size = Math.min(reportsPerPost, count - from)
    await post(
      site,
      site.token,
      Array.from({ length: size }, (_, index) => invented(from + index)),
    )
  }
  printLine(`${count} invented reports in ${((performance.now() - started) / 1000).toFixed(0)} s`)
  // Several pages by two families are alerted at once.
  const postNew = async (token: string, blockedUrl: string) => {
    for (const agent of userAgents) {
      const own = Array.from({ length: 6 }, (_, page) => violation(blockedUrl, { page }))
      await post(site, token, own, agent)
    }
  }
  await postNew(site.sister.token, 'https://sister.test/')
  const passed = performance.now()
  const alertedOf = () =>
    ['true.test', 'sister.test'].map((name) => site.alerts.summaries.some((one) => one.endsWith(name)))
  // Reports wait in the collector's log behind the flood, and only a share of them is stored.
  while (!alertedOf().every(Boolean) && performance.now() - passed < alertedWithinMs) {
    await postNew(site.token, 'https://true.test/')
    await site.alerts.pass()
    await sleep(1_000)
  }
  printLine(`Alerts after ${((performance.now() - passed) / 1000).toFixed(0)} s: ${alertedOf().join(', ')}`)
  const [after, alerted] = [await readKnown(site), alertedOf()]
  const isSame = isDeepStrictEqual(before, after) && alerted.every(Boolean)
  process.stdout.write(`${JSON.stringify({ before, after, alerted, messages: site.alerts.summaries.length })}\n`)
  process.stdout.write(isSame ? 'as without it\n' : 'CHANGED\n')
  return isSame
}

await runCommand(flood)
