/** @module The worker as a program: from a page that a command adds to what the API shows of its scans. */

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import type { Plan } from '../../../schema/plans.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { commandsOn } from '../../support/cli-commands.ts'
import type { TestEngine } from '../../support/engine.ts'
import { freePort } from '../../support/free-port.ts'
import { startMigratedEngine } from '../../support/migrated-engine.ts'
import { type SpawnedScript, spawnScript } from '../../support/spawn-script.ts'
import { startWebServer, type WebServer } from '../../support/web-server.ts'

const settings = { OUTBOUND_ALLOWED: '127.0.0.1:*', SCAN_USER_AGENT: 'Scanner/7' }
const script = 'console.log("pay")\n'
const policy = "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'"

let engine: TestEngine
let api: TestApi
let web: WebServer
let metricsPort: number
let worker: SpawnedScript
let hasPolicy = true
let shop: AddedPage
let team: AddedPage
let closed: AddedPage
const visited: (string | undefined)[] = []
const userAgents = new Set<string | undefined>()

beforeAll(async () => {
  engine = await startMigratedEngine()
  const { reader, writer } = engine.userUrls
  api = await startApi({ readUrl: reader, writeUrl: writer })
  web = await startWebServer((request, response) => {
    userAgents.add(request.headers['user-agent'])
    visited.push(request.url)
    const isScript = request.url?.startsWith('/pay.js')
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
    if (hasPolicy && !isScript) response.setHeader('Content-Security-Policy', policy)
    if (hasPolicy && !isScript) response.setHeader('Integrity-Policy', 'blocked-destinations=(script)')
    response.setHeader('Reporting-Endpoints', `main="https://r.test/?id=${visited.length}"`)
    response.end(isScript ? script : '<!doctype html><script src="/pay.js?v=1"></script>')
  })
  metricsPort = await freePort()
  // Before the worker's first look, so that no test waits for another.
  shop = await addPage('business', `${web.origin}/pay?from=scan`)
  team = await addPage('team', `${web.origin}/team`)
  closed = await addPage('business', 'http://router.lan/')
  worker = spawnScript('app/work.ts', [], {
    ...settings,
    DATA_DIR: engine.dataDir,
    CLICKHOUSE_URL: writer,
    WORKER_METRICS_PORT: String(metricsPort),
    LOG_LEVEL: 'warn',
  })
  await worker.printed(/^Scanning monitored pages every 24 hours, one worker at a time$/m)
})

afterAll(async () => {
  worker?.child.kill('SIGKILL')
  await Promise.all([api?.close(), web?.close()])
  await engine?.end()
})

const { done } = commandsOn(() => engine.userUrls.writer, {}, settings)

interface AddedPage {
  readonly tenantId: string
  readonly siteId: string
  readonly pageId: string
  /** `data` of a path. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert bodies field by field
  read(path: string): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  latestScan(): Promise<any>
}

/** A payment page of a tenant of its own. */
async function addPage(plan: Plan, url: string): Promise<AddedPage> {
  const tenantId = await api.createTenant({ plan })
  const siteId = await api.createSite(tenantId, { hosts: ['127.0.0.1'] })
  const key = await api.createKey(tenantId)
  const words = ['--tenant', tenantId, '--site', siteId, '--url', url, '--kind', 'payment']
  const { response } = await done('pages', 'add', ...words)
  const read = async (path: string) => (await api.get(path, { key })).body.data
  return {
    tenantId,
    siteId,
    pageId: response.id,
    read,
    latestScan: async () => (await read(`/v1/sites/${siteId}/pages`))[0].latestScan,
  }
}

const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()

test('a page is added, scanned, loses its policy, and is scanned: change, grade, script and evidence follow', async () => {
  const { tenantId, siteId, pageId, read } = shop
  await expect.poll(shop.latestScan).toMatchObject({ status: 'complete' })
  const first = await shop.latestScan()
  expect(first).toMatchObject({ changes: { headers: [], gradeDroppedFrom: null } })
  expect([...userAgents]).toEqual(['Scanner/7'])
  // Counted once it is stored.
  await expect.poll(metrics).toMatch(/worker_scans_total\{reason="complete"\} 1\n/)

  hasPolicy = false
  const { response: scan } = await done('pages', 'scan', '--tenant', tenantId, '--page', pageId)
  const change = { header: 'content-security-policy', change: 'removed', before: expect.any(String), after: null }
  const another = { ...change, header: 'integrity-policy' }
  const changes = { headers: [change, another], gradeDroppedFrom: first.grade }
  expect(scan).toMatchObject({ status: 'complete', changes, result: { inlineScripts: [] } })
  expect(scan.result.moreHeaders).toEqual({
    'integrity-policy': null,
    'reporting-endpoints': expect.stringMatching(/^main="https:\/\/r\.test\/\?id=\d+"$/),
    'content-security-policy-meta': null,
  })
  expect(Object.keys(scan.headers)).toHaveLength(7)
  expect(scan.scripts).toMatchObject([{ src: '/pay.js?v=1', outcome: 'hashed', cors: { verdict: 'readable' } }])
  expect(await read(`/v1/sites/${siteId}/pages/${pageId}/scans/${scan.id}`)).toEqual(scan)

  const { evidence } = await read(`/v1/compliance/pci-dss?siteId=${siteId}`)
  const headers = ['content-security-policy', 'integrity-policy']
  expect(evidence.changes).toMatchObject([{ scanId: scan.id, pageId, headers, gradeDroppedFrom: first.grade }])
  expect(evidence.pages).toMatchObject([{ id: pageId, grade: scan.grade, watched: true }])
  expect(evidence.scripts).toMatchObject([{ url: `${web.origin}/pay.js`, status: 'unreviewed' }])

  // Without an integrity report of its site a script's coverage is unknown (Rule 57).
  const integrity = { reportType: 'integrity-violation', blockedUrl: '', blockedHost: '' } as const
  await api.insertReports([aReport({ tenantId, siteId, receivedAt: Date.now(), ...integrity })])
  const [listed] = await read(`/v1/sites/${siteId}/scripts`)
  const hash = `sha256-${createHash('sha256').update(script).digest('base64')}`
  expect(listed).toMatchObject({
    url: `${web.origin}/pay.js`,
    hashes: [{ hash, source: 'scan', sources: ['scan'] }],
    coverage: { state: 'unprotected', decidedBy: 'scan' },
    scanPresence: { latestScan: { scanId: scan.id }, foundOn: [pageId] },
  })
})

test('a page of a plan without scans is not fetched, and a failed page counts by its reason', async () => {
  await expect.poll(closed.latestScan).toMatchObject({ failureReason: 'not_allowed', consecutiveFailures: 1 })
  await expect.poll(metrics).toMatch(/worker_scans_total\{reason="not_allowed"\} 1\n/)
  expect(await team.latestScan()).toBe(null)
  expect(visited).not.toContain('/team')
})

test('the worker is ready, has its metrics on one port, and ends by a signal', async () => {
  const ready = async () => (await fetch(`http://127.0.0.1:${metricsPort}/readyz`)).json()
  await expect.poll(ready).toEqual({ status: 'ok', checks: { engine: 'ok', migrations: 'ok' } })
  const text = await metrics()
  for (const line of [
    'worker_lease_held 1',
    'worker_pass_seconds_count',
    'clickhouse_faults_total{kind="timeout"} 0',
  ]) {
    expect(text).toContain(line)
  }
  worker.child.kill('SIGTERM')
  expect({ code: await worker.ended(), output: worker.output() }).toMatchObject({ code: 0 })
  const logged = worker
    .output()
    .match(/^\{.*\}$/gm)
    ?.map((line) => JSON.parse(line))
  expect(logged).toMatchObject([{ pageId: closed.pageId, failureReason: 'not_allowed', msg: 'Failed to scan a page' }])
  expect(logged?.[0].failureMessage).toContain('OUTBOUND_ALLOWED=router.lan')
})
