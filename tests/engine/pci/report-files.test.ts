import { randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scriptDecisions } from '../../../app/import/records/types/script-decisions.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import { createReportSite, type ReportSite } from '../../support/pci-report-site.ts'

const hostile = '<img src=x onerror=alert(1)>\u202e"\\; '

let api: TestApi
let browser: Browser
let site: ReportSite

beforeAll(async () => {
  ;[api, browser] = await Promise.all([startApi(), launchChromium()])
  site = await createReportSite(api, hostile)
})

afterAll(() => Promise.all([api?.close(), browser?.close()]))

const get = (query: Readonly<Record<string, string>>) =>
  api.get(`/v1/compliance/pci-dss/report?${new URLSearchParams({ siteId: site.world.siteId, ...query })}`, {
    key: site.key,
  })

test('the tables are CSV without formulas', async () => {
  await api.importRecords(site.tenantId, scriptDecisions, [
    {
      id: randomUUID(),
      siteId: site.world.siteId,
      url: 'https://shop.example.test/js/app.js',
      status: 'rejected',
      justification: '=HYPERLINK("x")',
      decidedBy: { name: null, email: 'ada@example.test' },
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
  expect(changes.text).toContain(",content-security-policy,changed,default-src 'self'; frame-src https://c.test,")
  expect(changes.text).toContain('delivered to On call')
  // An attempt is told, and is no alert.
  expect(changes.text).toMatch(/,A,,rejected to Web team /)
  expect(lines.at(-2)).toMatch(/^https:\/\/shop\.example\.test\/js\/new\.js,.*,unprotected,reports,.*,false,,\d{4}-/)
})

test('the page runs nothing, shows hostile text as text, and prints on four pages at most', async () => {
  const { headers, text } = await get({ format: 'html' })
  expect(headers.get('Content-Security-Policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  )
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
  expect(text).not.toContain('<img')
  expect(text).toMatch(/not alerted<\/span><\/p><p><span class="badge rejected">rejected<\/span> <bdi>Web team/)
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

test('a long address and a long name leave the pages whole', async () => {
  const long = await createReportSite(api, 'n'.repeat(200))
  const url = `https://shop.example.test/${'q'.repeat(2_000)}.js`
  await api.importRecords(long.tenantId, scriptDecisions, [
    {
      id: randomUUID(),
      siteId: long.world.siteId,
      url,
      status: 'rejected',
      decidedAt: new Date().toISOString(),
      decidedBy: { name: null, email: 'ada@example.test' },
    },
  ])
  const query = new URLSearchParams({ siteId: long.world.siteId, format: 'html' })
  const { text } = await api.get(`/v1/compliance/pci-dss/report?${query}`, { key: long.key })
  expect(text).toContain(`${'n'.repeat(40)}…`)
  expect(text).toContain(`${url.slice(0, 300)}…</bdi>`)
  expect(text).not.toContain('q'.repeat(300))
})
