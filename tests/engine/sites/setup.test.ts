import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { completeScan, failedScan, sending } from '../../../fixtures/scans.ts'
import { countSilentSites, listRecentScans } from '../../../queries/tenants/site-setup.ts'
import { dayMs, hourMs } from '../../../schema/durations.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { commandsOn } from '../../support/cli-commands.ts'
import { connectPatiently } from '../../support/patience.ts'
import type { TestKey } from '../../support/tenants.ts'

const now = Date.now()
const token = makeSiteToken()
const page = { kind: 'other', label: 'Shop', scanUrl: null, pattern: 'https://shop.example/' } as const
const { run } = commandsOn(() => inject('servers').writeUrl, {}, { COLLECTOR_URL: 'https://in.example' })

let api: TestApi
let tenantId: string
let siteId: string
let emptyId: string
let key: TestKey
const pageIds = [randomUUID(), randomUUID()] as const

beforeAll(async () => {
  api = await startApi()
  tenantId = await api.createTenant()
  const createdAt = now - 10 * dayMs
  siteId = await api.createSite(tenantId, { hosts: ['shop.example', '*.shop.example'], token, createdAt })
  emptyId = await api.createSite(tenantId, { hosts: ['empty.example'], createdAt })
  key = await api.createKey(tenantId)
  const records = pageIds.map((id) => ({ ...page, siteId, id }))
  await api.importRecords(tenantId, monitoredPages, [...records, { ...page, siteId: emptyId, id: randomUUID() }])
  const scan = (hours: number, finalUrl: string, reportingHeaders?: object, pageId: string = pageIds[0]) =>
    completeScan({
      id: randomUUID(),
      pageId,
      finalUrl,
      scannedAt: new Date(now - hours * hourMs).toISOString(),
      headers: sending({ 'content-security-policy': 'img-src *; report-to main' }),
      result: { ...(reportingHeaders && { reportingHeaders }) },
    })
  await api.importRecords(tenantId, scans, [
    scan(5, 'https://shop.example/', { 'reporting-endpoints': 'old="https://a.example/"' }, pageIds[1]),
    scan(4, 'https://www.shop.example/', { 'reporting-endpoints': `default="https://in.example/r/${token}"`, nel: 7 }),
    scan(3, 'https://login.example/', { 'reporting-endpoints': 'other="https://a.example/"' }),
    failedScan({ id: randomUUID(), pageId: pageIds[0], scannedAt: new Date(now - hourMs).toISOString() }),
  ])
  const reports = [now - 2 * hourMs, now - 3 * dayMs].map((receivedAt) =>
    aReport({ tenantId, siteId, reportType: 'crash', id: randomUUID(), receivedAt }),
  )
  await api.insertReports(reports)
})
afterAll(() => api.close())

const setup = async (id: string, query = '') => {
  const { status, body } = await api.get(`/v1/sites/${id}/setup${query}`, { key })
  expect(status).toBe(200)
  return body.data
}

test('headers are those of the latest complete scan that ended on a host of the site', async () => {
  const { scan, kinds } = await setup(siteId, '?collector=https://in.example/')
  expect(scan).toMatchObject({ pageId: pageIds[0], url: 'https://www.shop.example/' })
  const [csp] = kinds
  expect(csp).toMatchObject({
    kind: 'csp',
    state: 'wrong',
    lastReportAt: null,
    headers: [{ name: 'content-security-policy', value: 'img-src *; report-to main' }],
    problems: [{ problem: 'undeclared_endpoint', message: 'No header declares the endpoint main' }],
  })
  const url = `https://in.example/r/${token}`
  expect(csp.lines).toEqual([`Reporting-Endpoints: default="${url}", main="${url}"`])
  const crash = kinds.find(({ kind }: { kind: string }) => kind === 'crash')
  expect(crash).toMatchObject({ state: 'ok', lastReportAt: new Date(now - 2 * hourMs).toISOString(), lines: [] })
})

test('without a scan the lines are those of a new site, with a placeholder for an unknown collector', async () => {
  const { scan, kinds } = await setup(emptyId)
  expect(scan).toBeNull()
  expect(new Set(kinds.map(({ state }: { state: string }) => state))).toEqual(new Set(['unknown']))
  expect(kinds[0].lines[0]).toMatch(/^Reporting-Endpoints: default="https:\/\/COLLECTOR_URL\/r\/[\w-]{22}"$/)
})

test('a collector that is no URL for a header is rejected by name', async () => {
  for (const collector of ['ftp://a.example', "https://a.example/'x", 'a']) {
    const { status, body } = await api.get(`/v1/sites/${siteId}/setup?${new URLSearchParams({ collector })}`, { key })
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('collector must be a URL such as')])
  }
})

test('sites status prints the response and a summary, and exits 1 for a wrong header', async () => {
  const { code, stdout, stderr } = await run(['sites', 'status', '--tenant', tenantId, '--site', siteId])
  expect(JSON.parse(stdout)).toEqual({ data: await setup(siteId, '?collector=https://in.example') })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^Scan of https:\/\/www\.shop\.example\/ at .*\ncsp: wrong, no report\n {2}No header declares/)
  expect(stderr).toMatch(/^ {2}set Reporting-Endpoints: .*main="https:\/\/in\.example\/r\//m)
  const { code: ofEmpty } = await run(['sites', 'status', '--tenant', tenantId, '--site', emptyId])
  expect(ofEmpty).toBe(0)
})

test('doctor reads silent sites, and the latest scan of each site', async () => {
  const reader = connectPatiently(inject('servers').readUrl)
  try {
    const [silent] = await reader.read(countSilentSites(new Date(now - dayMs)))
    expect(silent?.sites).toBeGreaterThan(0)
    const recent = await reader.read(listRecentScans(new Date(now - dayMs)))
    const own = recent.filter((scan) => scan.tenantId === tenantId)
    expect(own.map(({ siteId, url }) => [siteId, url])).toEqual([[siteId, 'https://www.shop.example/']])
  } finally {
    await reader.close()
  }
})
