import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { completeScan, sending } from '../../../fixtures/scans.ts'
import { dayMs, hourMs, minuteMs } from '../../../schema/durations.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { commandsOn } from '../../support/cli-commands.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import { decision, hashed, type ScriptSite, urlOf } from '../../support/script-sites.ts'

const now = Date.now()
/** The flood is posted after it. */
const start = now - hourMs
const window = `from=${new Date(now - 6 * dayMs).toISOString()}&to=${new Date(now + hourMs).toISOString()}`

let database: TestDatabase
let api: TestApi
let collector: TestCollector
let site: ScriptSite
const token = makeSiteToken()

const { done, refused } = commandsOn(() => database.writeUrl, { untilForgotten: async () => {} })

beforeAll(async () => {
  database = await createMigratedDatabase()
  api = await startApi({ ...database, now: () => new Date(now + hourMs) })
  collector = await startTestCollector({ CLICKHOUSE_URL: database.writeUrl })
  const tenantId = await api.createTenant({ plan: 'business' })
  const siteId = await api.createSite(tenantId, { hosts: ['shop.example.test'], token })
  site = { tenantId, siteId, key: await api.createKey(tenantId) }
  const pageId = await api.insertMonitoredPage(tenantId, siteId, 'https://shop.example.test/pay')
  const policy = "default-src 'self'; script-src https://known.test"
  const scan = {
    id: randomUUID(),
    pageId,
    scannedAt: new Date(now - dayMs).toISOString(),
    headers: sending({ 'content-security-policy': policy }),
  }
  await api.importRecords(tenantId, scans, [completeScan(scan)])
  await api.importRecords(tenantId, scriptDecisions, [decision(site, 'seen', 0)])
})

afterAll(async () => {
  await collector?.close()
  await api?.close()
  await database?.drop()
})

let ids = 0
const report = (receivedAt: number, given: Partial<StoredReport>) =>
  aReport({ ...site, receivedAt, id: `0192f0a0-0000-7000-8000-${String(ids++).padStart(12, '0')}`, ...given })

const violation = (receivedAt: number, host: string, directive = 'script-src-elem') =>
  report(receivedAt, {
    directive,
    issueSubject: directive,
    blockedHost: host,
    issueHost: host,
    blockedUrl: `https://${host}/a.js`,
    blockedOrigin: `https://${host}`,
  })

const version = (receivedAt: number, name: string, bytes: string) =>
  report(receivedAt, { reportType: 'csp-hash', scriptUrl: urlOf(name), ...hashed(bytes) })

const operations = () => [
  '/v1/sites',
  ...['csp-violation', 'integrity-violation'].flatMap((type) => [
    `/v1/reports?${window}&reportType=${type}&limit=200`,
    `/v1/reports/count?${window}&reportType=${type}`,
    `/v1/reports/histogram?${window}&reportType=${type}`,
  ]),
  ...['directive', 'blockedHost', 'documentHost', 'browserName', 'directive,blockedHost'].map(
    (dimension) => `/v1/reports/grouped?${window}&reportType=csp-violation&groupBy=${dimension}`,
  ),
  ...['page', 'blockedHost'].map((name) => `/v1/reports/values?${window}&reportType=csp-violation&dimension=${name}`),
  `/v1/reports/types?${window}`,
  `/v1/issues?${window}&total=true`,
  `/v1/sites/${site.siteId}/issues?${window}&new=true&total=true`,
  `/v1/sites/${site.siteId}/csp-policies?${window}`,
  `/v1/sites/${site.siteId}/csp-policies/advice?${window}`,
  `/v1/sites/${site.siteId}/scripts?${window}`,
  `/v1/sites/${site.siteId}/pages`,
  `/v1/crashes?${window}`,
  `/v1/browser-changes?${window}`,
  `/v1/network-errors?${window}`,
  `/v1/compliance/pci-dss?siteId=${site.siteId}`,
]

const responses = async () => {
  const found: Record<string, unknown> = {}
  for (const path of operations()) {
    const { status, body } = await api.get(path, { key: site.key })
    found[path] = { status, body }
  }
  return found
}

const forged = (index: number) => {
  const url = `https://shop.example.test/made-up/${index}`
  const [blockedURL, effectiveDirective] = [`https://h${index}.invalid/a.js`, `d${index % 300}-src`]
  const violated = {
    documentURL: url,
    blockedURL,
    effectiveDirective,
    sample: `s${index}`,
    originalPolicy: `img-src ${index}`,
  }
  const subresourceURL = index % 2 === 0 ? urlOf('app') : `https://h${index}.invalid/b.js`
  return [
    { type: 'csp-violation', age: 0, url, body: violated },
    { type: 'csp-violation', age: 0, url, body: { ...violated, blockedURL: 'https://known.test/a.js' } },
    {
      type: 'csp-hash',
      age: 0,
      url,
      body: { documentURL: url, destination: 'script', subresourceURL, hash: `sha256-${index}` },
    },
    { type: 'integrity-violation', age: 0, url, body: { documentURL: url, blockedURL, destination: `d${index}` } },
  ]
}

test('after a flood two commands make every response what it was, and true reports of that time remain', async () => {
  await api.insertReports([
    ...[violation(now - 2 * dayMs, 'old.test'), violation(start + minuteMs, 'old.test')],
    ...[violation(start + minuteMs, 'known.test'), violation(start + 2 * minuteMs, 'known.test', 'script-src')],
    ...[version(now - 2 * dayMs, 'app', 'one'), version(start + minuteMs, 'app', 'one')],
    // A person saw it when deciding.
    version(start + minuteMs, 'seen', 'two'),
    report(start + minuteMs, { reportType: 'crash', issueSubject: '', issueHost: '', feature: 'oom' }),
  ])
  const before = await responses()
  const failed = Object.entries(before).filter(([, response]) => (response as { status: number }).status !== 200)
  expect(failed).toEqual([])
  const all = Array.from({ length: 600 }, (_, index) => forged(index)).flat()
  for (let at = 0; at < all.length; at += 100) await collector.post(token, all.slice(at, at + 100))
  expect(await responses()).not.toEqual(before)
  const owner = ['--tenant', site.tenantId, '--site', site.siteId]
  await done('sites', 'rotate-token', ...owner)
  const flags = [...owner, '--from', new Date(start).toISOString(), '--unconfirmed']
  const reports = { 'csp-hash': 600, 'csp-violation': 1_200, 'integrity-violation': 600 }
  expect((await done('reports', 'delete', ...flags, '--dry-run')).response).toEqual({ dryRun: true, reports })
  expect((await done('reports', 'delete', ...flags)).response).toEqual({ dryRun: false, reports })
  expect(await responses()).toEqual(before)
  expect((await checkRollups(database.writer)).differences).toEqual([])
  expect(await queryRows(database.writer, 'SELECT uniq(issue_key) FROM issue_first_seen')).toEqual([[3]])
  expect(await queryRows(database.writer, 'SELECT uniq(script_url, script_hash) FROM script_versions')).toEqual([[2]])
})

test('--unconfirmed requires a site and a time', async () => {
  const line = '--unconfirmed requires --site and --from, the start of the flood'
  for (const flags of [['--site', site.siteId], ['--from', new Date(start).toISOString()], []]) {
    expect(await refused('reports', 'delete', '--tenant', site.tenantId, '--unconfirmed', ...flags)).toBe(line)
  }
})
