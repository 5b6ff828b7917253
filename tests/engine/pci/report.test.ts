import { createHash, randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import { fetches, scannedScript } from '../../../fixtures/scanned-scripts.ts'
import { completeScan, sending } from '../../../fixtures/scans.ts'
import { dayMs, hourMs } from '../../../schema/durations.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import { ready, scenarioRecords } from '../../support/pci-scenarios.ts'
import { createPciTenants, type PciSite } from '../../support/pci-tenants.ts'

const hostile = '<img src=x onerror=alert(1)>\u202e"\\; '

let api: TestApi
let browser: Browser
let site: PciSite
let tenantId: string

beforeAll(async () => {
  const now = Date.now()
  const ago = (ms: number) => new Date(now - ms).toISOString()
  const make = (id: string, [siteId = '']: readonly string[]) => {
    tenantId = id
    const records = scenarioRecords(
      {
        ...ready,
        unprotected: { 'app.js': 'https://shop.example.test/checkout', 'new.js': 'https://shop.example.test/checkout' },
      },
      { tenantId, siteId, now },
    )
    const scan = (age: number, frame: string, grade: 'A' | 'B') =>
      completeScan({
        ...{ id: randomUUID(), pageId: records.pages[0]?.id ?? '', scannedAt: ago(age), grade },
        headers: sending({ 'content-security-policy': `default-src 'self'; frame-src ${frame}` }),
        scripts: [scannedScript('https://shop.example.test/js/app.js', fetches.own)],
      })
    const delivery = {
      ...{
        id: randomUUID(),
        alertId: randomUUID(),
        kind: 'immediate' as const,
        outcome: 'delivered' as const,
        detail: null,
      },
      destination: { id: 'on-call', name: 'On call', type: 'email' as const },
      ...{ eventType: 'page.headers_changed', siteId, siteIds: [], summary: null, createdAt: ago(3 * dayMs - hourMs) },
    }
    return {
      ...records,
      pages: records.pages.map((page) => ({ ...page, label: page.position === 0 ? hostile : page.label })),
      scans: [...records.scans, scan(4 * dayMs, 'https://a.test', 'A'), scan(3 * dayMs, 'https://b.test', 'B')],
      deliveries: [delivery],
    }
  }
  ;[api, browser] = await Promise.all([startApi(), launchChromium()])
  const [[made] = []] = await createPciTenants(api, [{ plan: 'business', siteNames: [hostile], make }])
  if (!made) throw new Error('no site')
  site = made
})

afterAll(() => Promise.all([api?.close(), browser?.close()]))

const get = (query: Readonly<Record<string, string>> = {}, key = site.key, siteId = site.world.siteId) =>
  api.get(`/v1/compliance/pci-dss/report?${new URLSearchParams({ siteId, ...query })}`, { key })

const read = async (query?: Readonly<Record<string, string>>): Promise<PciReport> => (await get(query)).body.data

/** Members in the order of their names, by the order in which JSON.stringify writes those of a new object. */
const sorted = (_: string, value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

test('the hash is of the evidence alone, and another program computes it', async () => {
  const { evidence, evidenceHash } = await read()
  expect(createHash('sha256').update(JSON.stringify(evidence, sorted)).digest('hex')).toBe(evidenceHash)
})

test('the same time twice is the same bytes but for the time of generation', async () => {
  const asOf = (await read()).evidence.asOf
  for (const format of ['json', 'html']) {
    const [one, two] = [await get({ asOf, format }), await get({ asOf, format })]
    const lasting = ({ text }: { readonly text: string }) =>
      text.replace(/"generatedAt":"[^"]+"|Generated [\d: -]+/, '')
    expect(lasting(two)).toBe(lasting(one))
  }
})

test('the verdicts are those of the readiness, with a sentence for each gap and what closes it', async () => {
  const { body } = await api.get(`/v1/compliance/pci-dss?siteId=${site.world.siteId}`, { key: site.key })
  const { requirements, observed } = await read()
  const own = requirements.map(({ title: _, text: __, summary: ___, gaps, ...verdict }) => ({
    ...verdict,
    gaps: gaps.map(({ sentence, remedy, ...gap }) => {
      expect([sentence, remedy].every((words) => /^[A-Z\d].+\.$/.test(words))).toBe(true)
      return gap
    }),
  }))
  expect(own).toEqual(body.data.requirements)
  expect(requirements.map(({ summary }) => summary)).toEqual([
    'On 2 payment pages: 2 authorized + 0 not reviewed + 0 rejected = 2 scripts.',
    'Watched: 2 of 2 payment pages. Changes in 30 days: 1 alerted within a day + 1 not = 2.',
  ])
  expect(observed.scripts.map(({ hashes: _, firstSeenAt: __, lastSeenAt: ___, ...script }) => script)).toEqual(
    body.data.evidence.scripts,
  )
  expect(observed.integrity).toEqual({ protected: 1, unprotected: 1, unknown: 0 })
  expect(observed.uninventoried.map(({ url }) => url)).toEqual(['https://shop.example.test/js/new.js'])
})

test('a change has both values, and the alert with its delivery', async () => {
  const { changes, deliveries, versions, pages } = (await read()).evidence
  const change = changes.at(-1)
  expect(change?.headers).toEqual([
    {
      ...{ header: 'content-security-policy', change: 'changed' },
      before: "default-src 'self'; frame-src https://a.test",
      after: "default-src 'self'; frame-src https://b.test",
    },
  ])
  expect(change?.gradeDroppedFrom).toBe('A')
  expect(change?.alertIds).toEqual(deliveries.map(({ alertId }) => alertId))
  expect(versions).toHaveLength(1)
  expect(Date.parse(versions[0]?.lastSeenAt ?? '') - Date.parse(versions[0]?.firstSeenAt ?? '')).toBe(dayMs)
  expect(pages.map(({ completeScans }) => completeScans)).toEqual([3, 1])
})

test.each([
  [{ asOf: new Date(Date.now() + dayMs).toISOString() }, 'asOf must not be in the future'],
  [{ asOf: '2020-01-01T00:00:00Z' }, 'asOf must not be before the site was recorded'],
  [{ asOf: 'yesterday' }, 'asOf must be an RFC 3339 date-time'],
  [{ format: 'csv' }, 'table must be sent with format=csv, and only there: scripts or changes'],
  [{ table: 'scripts' }, 'table must be sent with format=csv'],
])('%j is a bad request: %s', async (query, message) => {
  const { status, body } = await get(query as Readonly<Record<string, string>>)
  expect([status, body.error.code]).toEqual([400, 'bad_request'])
  expect(body.error.message).toContain(message)
})

test('a foreign site is not found, and a narrowed key reads its own site alone', async () => {
  const other = await api.createKey(await api.createTenant())
  expect((await get({}, other)).status).toBe(404)
  const own = await api.createKey(tenantId, { siteId: site.world.siteId })
  expect((await api.get('/v1/compliance/pci-dss/report', { key: own })).body.data.evidence.site.id).toBe(
    site.world.siteId,
  )
  expect((await get({}, own, await api.createSite(tenantId))).status).toBe(404)
})

test('the tables are CSV without formulas', async () => {
  await api.importRecords(tenantId, scriptDecisions, [
    {
      ...{
        id: randomUUID(),
        siteId: site.world.siteId,
        url: 'https://shop.example.test/js/app.js',
        status: 'rejected',
      },
      ...{ justification: '=HYPERLINK("x")', decidedBy: { name: null, email: 'ada@example.test' } },
      decidedAt: new Date().toISOString(),
    },
  ])
  const scripts = await get({ format: 'csv', table: 'scripts' })
  expect(scripts.headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
  expect(scripts.headers.get('Content-Disposition')).toMatch(/^attachment; filename="pci-dss-[\d-]{10}-scripts\.csv"$/)
  const lines = scripts.text.split('\r\n')
  expect(lines[0]).toMatch(/^url,status,integrityMode,justification,/)
  expect(lines.find((line) => line.includes('app.js'))).toContain(`,rejected,,"'=HYPERLINK(""x"")",`)
  const changes = await get({ format: 'csv', table: 'changes' })
  expect(changes.text).toContain(",content-security-policy,changed,default-src 'self'; frame-src https://a.test,")
  expect(changes.text).toContain('delivered to On call')
})

test('the page runs nothing, shows hostile text as text, and prints on four pages at most', async () => {
  const { headers, text } = await get({ format: 'html' })
  expect(headers.get('Content-Security-Policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  )
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
  expect(text).not.toContain('<img')
  const page = await browser.newPage()
  const faults: string[] = []
  page.on('console', (message) => faults.push(message.text()))
  await page.route('**/*', (route) =>
    route.fulfill({ body: text, headers: Object.fromEntries(headers), contentType: 'text/html; charset=utf-8' }),
  )
  await page.goto('http://report.test/')
  expect(await page.textContent('body')).toContain('<img src=x onerror=alert(1)>\\u202e"\\; ')
  // Its sheet applies, so that its hash is that of the policy.
  expect(await page.locator('.cards').evaluate(({ ownerDocument }) => ownerDocument.styleSheets.length)).toBe(1)
  expect(faults).toEqual([])
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
  const pages = pdf.match(/\/Type \/Page\b/g)?.length ?? 0
  expect(pages).toBeGreaterThan(0)
  expect(pages).toBeLessThanOrEqual(4)
})
