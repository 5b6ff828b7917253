/** @module Policy, scripts, pages, PCI DSS and setup: each view is loaded once, wide and light; then the same page gets narrow and dark. */

import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import {
  cells,
  expectFits,
  expectSound,
  focused,
  forLong,
  openExplorer,
  settled,
  shownNumber,
} from '../../support/explorer.ts'
import type { TestKey } from '../../support/tenants.ts'
import { fillWorkbench, type Workbench } from '../../support/workbench.ts'

let api: TestApi
let key: TestKey
let site: Workbench
let browser: Browser

beforeAll(async () => {
  api = await startApi({ collectorUrl: 'https://in.example' })
  const tenantId = await api.createTenant()
  site = await fillWorkbench(api, tenantId)
  key = await api.createKey(tenantId)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await api?.close()
})

const last = { last: '7d' }

async function read(path: string, query: Record<string, string> = last) {
  const { status, body } = await api.get(`${path}?${new URLSearchParams(query)}`, { key })
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  return body
}

const ofSite = (rest: string) => `/v1/sites/${site.siteId}/${rest}`

const open = (view: string, own = '', options: Parameters<typeof openExplorer>[4] = {}) =>
  openExplorer(browser, api, key, `/explorer?view=${view}&siteId=${site.siteId}${own}`, options)

const sorted = (texts: readonly string[]) => [...texts].sort()

const countsOf = (rows: readonly { reportCount: number }[]) =>
  sorted(rows.map(({ reportCount }) => shownNumber(reportCount)))

async function expectNarrowAndDark(page: Page, faults: readonly string[]): Promise<void> {
  await expectSound(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 900 })
  await expectSound(page)
  await expectFits(page)
  expect(faults).toEqual([])
  await page.close()
}

describe('the policy workbench', () => {
  let page: Page
  let faults: readonly string[]
  const text = async () => (await page.locator('#policy-text pre').textContent()) ?? ''
  const parts = () => page.locator('#check .facts dd').allTextContents()

  async function expectChecked(): Promise<void> {
    const policy = (await text()).replace(/^[\w-]+: /, '')
    const { policyId } = site
    const { totals } = (await read(ofSite('csp-policies/check'), { ...last, policy, policyId, limit: '1' })).data
    const shown = [totals.silent, totals.violation, totals.unknown].map(({ reportCount }) => shownNumber(reportCount))
    await expect.poll(parts, forLong).toEqual(shown)
  }

  beforeAll(async () => {
    ;({ page, faults } = await open('policy', `&policyId=${site.policyId}`))
  })

  test('shows the advice with ticks, its text, and the check of that text, as the API has them', async () => {
    const { data } = await read(ofSite('csp-policies/advice'), { ...last, policyId: site.policyId })
    expect(await text()).toBe(`Content-Security-Policy-Report-Only: ${data.proposed.text}`)
    expect(await page.locator('#policy-text ins').allTextContents()).toEqual(
      expect.arrayContaining(['https://img.partner.example', 'img-src']),
    )
    const hints = data.sources.flatMap(({ hints, reportCount }: { hints: { kind: string }[]; reportCount: number }) =>
      hints.filter(({ kind }) => kind === 'hash').map(() => ({ reportCount })),
    )
    expect(sorted(await cells(page, 'sources', 'Reports'))).toEqual(countsOf([...data.sources, ...hints]))
    await expectChecked()
    const policies = await read(ofSite('csp-policies'))
    expect(sorted(await cells(page, 'policies', 'Reports'))).toEqual(countsOf(policies.data))
  })

  test('ticks no claim of reports, and prints the command that records a tick', async () => {
    const font = page.locator('#sources input[aria-label="font-src https://font.example"]')
    expect(await font.isChecked()).toBe(false)
    await font.check()
    const command = page.locator('#decisions pre')
    await expect
      .poll(() => command.textContent(), forLong)
      .toMatch(
        /^security-reporting sources accept --tenant \S+ --site \S+ --directive 'font-src' --source 'https:\/\/font\.example' --by /,
      )
    await font.uncheck()
    await expect.poll(() => command.count(), forLong).toBe(0)
  })

  test('cannot allow what opens the policy, and allows the hash of its sample by the keyboard', async () => {
    const denied = page.locator('#sources input:disabled')
    const { data } = await read(ofSite('csp-policies/advice'), { ...last, policyId: site.policyId })
    const isDenied = ({ decision }: { decision: string }) => decision === 'deny'
    expect(await denied.count()).toBe(data.sources.filter(isDenied).length)
    const hash = "'sha256-5KYv+PUboo5h+0+YAtGRPbwv5d/QxzHslP4YGnUaxRw='"
    await page.locator(`#sources input[aria-label*="sha256"]`).focus()
    await page.keyboard.press('Space')
    await expect.poll(text, forLong).toContain(hash)
    expect(await page.locator('#policy-text ins', { hasText: 'sha256' }).count()).toBe(1)
    expect(await page.evaluate('document.activeElement.checked')).toBe(true)
    expect(new URL(page.url()).searchParams.get('flip')).toBe(`script-src-elem ${hash}`)
    await expectChecked()
  })

  test('shows another policy by the keyboard, and its text as configuration', async () => {
    await page.locator(`[data-key="policy ${site.hostilePolicyId}"]`).focus()
    await page.keyboard.press('Enter')
    await settled(page)
    expect(new URL(page.url()).searchParams.get('policyId')).toBe(site.hostilePolicyId)
    expect(await focused(page)).toBe(`policy ${site.hostilePolicyId}`)
    await page.getByLabel('Form of the policy').selectOption('nginx')
    await expect.poll(text, forLong).toMatch(/^add_header Content-Security-Policy ".*" always;$/s)
    await expect.poll(() => page.locator('#weaknesses li').count(), forLong).toBeGreaterThan(0)
    await page.goBack()
    await settled(page)
    expect(new URL(page.url()).searchParams.get('policyId')).toBe(site.policyId)
  })

  test('fits, runs no text and has nothing that axe finds', () => expectNarrowAndDark(page, faults))
})

describe('the script inventory', () => {
  test('has every script as the API has it, and opens one with its decisions by the keyboard', async () => {
    const { page, faults } = await open('scripts')
    const { data, coverage } = await read(ofSite('scripts'))
    const urls = data.map(({ url }: { url: string }) => visible(url))
    expect(await cells(page, 'scripts', 'Script')).toEqual(urls)
    const counts = [coverage.protected, coverage.unprotected, coverage.unknown].map(shownNumber)
    expect(await page.locator('#integrity .facts dd').allTextContents()).toEqual(counts)
    await page.locator('#scripts [data-focus]').first().focus()
    const rank = urls.indexOf(site.decidedScript)
    for (let at = 0; at < rank; at++) await page.keyboard.press('j')
    const row = await focused(page)
    await page.keyboard.press('Enter')
    await settled(page)
    expect(await page.locator('h1').textContent()).toBe(site.decidedScript)
    expect(await page.locator('#history').textContent()).toContain('authorized by Robin (robin@example.test)')
    const claim = 'The URL claims jquery 3.4.1, but the bytes are no known file of it'
    expect(await page.locator('#facts').textContent()).toContain(claim)
    await expectSound(page)
    await page.goBack()
    await expect.poll(() => focused(page), forLong).toBe(row)
    await expectNarrowAndDark(page, faults)
  })
})

describe('monitored pages', () => {
  test('open scans, of which two are side by side with only what differs', async () => {
    const { page, faults } = await open('pages')
    const { data } = await read(ofSite('pages'), {})
    expect(await cells(page, 'pages', 'Page')).toEqual(data.map(({ label }: { label: string }) => label))
    await page.locator(`[data-key="page ${site.pageId}"]`).last().focus()
    await page.keyboard.press('Enter')
    await page.locator('#diff table').waitFor()
    const scans = await read(ofSite(`pages/${site.pageId}/scans`), {})
    expect(await cells(page, 'scans', 'Grade')).toEqual(scans.data.map(({ grade }: { grade: string }) => grade ?? '–'))
    const changed = scans.data[0].changes.headers.map(
      ({ header, change }: { header: string; change: string }) => `${header} ${change}`,
    )
    expect(changed.length).toBeGreaterThan(1)
    expect(sorted(await cells(page, 'diff', 'Header'))).toEqual(sorted(changed))
    expect(await page.locator('#diff ins').allTextContents()).toContain('https://b.test')
    expect(await page.locator('#diff').textContent()).not.toContain('nosniff')
    await expectNarrowAndDark(page, faults)
  })
})

const visible = (text: string) => text.replaceAll('\u202e', '\\u202e')

/** Texts and numbers of a body as the page writes them. */
function leaves(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves)
  if (typeof value === 'number') return [shownNumber(value)]
  if (typeof value !== 'string') return []
  if (value === 'unreviewed') return ['not reviewed']
  return [/^\d{4}-\d\d-\d\dT/.test(value) ? utc(value) : visible(value).replaceAll('_', ' ')]
}

const utc = (time: string) => {
  const [, day, month, year, clock] = /(\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(time).toUTCString()) ?? []
  return `${Number(day)} ${month === 'Sep' ? 'Sept' : month} ${year} ${clock?.slice(0, 5)} UTC`
}

describe('PCI DSS', () => {
  test('is all that the API has, in sums that add up, on paper too', async () => {
    const { page, faults } = await open('pci')
    const { data } = (await api.get(`/v1/compliance/pci-dss?siteId=${site.siteId}`, { key })).body
    const text = ((await page.locator('#view').textContent()) ?? '').replaceAll('_', ' ')
    const { window, ...evidence } = data.evidence
    const facts = data.requirements.map(({ id, status, facts }: { id: string; status: string; facts: object }) => [
      id,
      status,
      facts,
    ])
    for (const value of leaves([data.siteId, data.siteName, data.plan, facts, evidence, window.from])) {
      expect(text).toContain(value)
    }
    const sums = [...text.matchAll(/(\d+ [a-z ]+(?: \+ \d+ [a-z ]+)+) = (\d+)/g)]
    expect(sums.length).toBeGreaterThan(1)
    for (const [, parts = '', sum] of sums) {
      expect(parts.split('+').reduce((before, part) => before + Number.parseInt(part, 10), 0)).toBe(Number(sum))
    }
    const gaps = data.requirements.flatMap(({ gaps }: { gaps: object[] }) => gaps)
    expect(gaps.length).toBeGreaterThan(2)
    expect(await page.locator('.sentences .badge.warn').count()).toBe(gaps.length)
    expect(await page.locator('.sentences li:has(.badge.warn):not(:has(.muted))').count()).toBe(0)
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
    expect(pdf.match(/\/Type\s*\/Page[^s]/g)?.length).toBeLessThanOrEqual(4)
    await page.emulateMedia({ media: 'print' })
    for (const control of ['.rail', '.bar', '.title .tools'])
      expect(await page.locator(control).isVisible()).toBe(false)
    await page.emulateMedia({ media: null })
    await expectNarrowAndDark(page, faults)
  })

  test('is as of a day, with the hash of its evidence, and links to the report of that moment', async () => {
    const asOf = new Date(Math.ceil(Date.now() / 1_000) * 1_000 - 1_000).toISOString()
    const { page, faults } = await open('pci', `&asOf=${asOf}`)
    const { data } = (await api.get(`/v1/compliance/pci-dss/report?siteId=${site.siteId}&asOf=${asOf}`, { key })).body
    await page.getByTitle(data.evidenceHash).waitFor()
    const text = ((await page.locator('#view').textContent()) ?? '').replaceAll('_', ' ')
    for (const { url, status } of data.observed.scripts)
      for (const value of leaves([url, status])) expect(text).toContain(value)
    for (const limit of data.limits) expect(text).toContain(limit)
    const saved = page.waitForEvent('download')
    await page.locator('[data-key="report"]').click()
    await page.getByRole('button', { name: 'Page to print (HTML)' }).click()
    const file = await readFile(await (await saved).path(), 'utf8')
    expect(file).toContain(data.evidenceHash)
    await page.locator('[data-key="as-of"]').click()
    await page.locator('.dates input').fill('2020-01-01')
    await page.locator('.dates button').click()
    await page.getByText('asOf must not be before the site was recorded').first().waitFor()
    expect(new URL(page.url()).searchParams.get('asOf')).toBe('2020-01-01T00:00:00.000Z')
    expect(await page.locator('#requirement-1, #scripts, #view h1 + p').count()).toBe(0)
    await page.reload()
    await page.getByText('asOf must not be before the site was recorded').first().waitFor()
    await page.setViewportSize({ width: 390, height: 900 })
    await expectSound(page)
    await page.getByText('Show the current state').click()
    await page.locator('#requirement-1').waitFor()
    await page.route('**/pci-dss/report?*', (route) => route.abort())
    await page.locator('[data-key="as-of"]').click()
    await page.locator('.dates input').fill('2020-01-02')
    await page.locator('.dates button').click()
    await page.getByText('Cannot reach the API').first().waitFor()
    expect(await page.locator('#requirement-1, #scripts, #view h1 + p').count()).toBe(0)
    expect(faults.filter((fault) => !/400|net::ERR_FAILED/.test(fault))).toEqual([])
  })
})

describe('the setup', () => {
  test('has a row per kind as the API has it, and copies the lines to set', async () => {
    const { page, faults } = await open('setup', '', { permissions: ['clipboard-read', 'clipboard-write'] })
    const { scan, kinds } = (await read(ofSite('setup'), { collector: 'https://in.example' })).data
    expect(await cells(page, 'setup', 'State')).toEqual(kinds.map(({ state }: { state: string }) => state))
    expect(await page.locator('#setup .note').textContent()).toContain(scan.url)
    const opener = page.locator('#setup tr[data-key=coop]')
    await opener.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied: the headers of coop').waitFor()
    const token = kinds[0].lines[0].match(/\/r\/([\w-]{22})/)[1]
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `Reporting-Endpoints: main="https://in.example/r/${token}"`,
    )
    expect(await opener.textContent()).toContain('No header declares the endpoint main')
    expect(await page.locator('#setup tr[data-key=network]').textContent()).toContain('<script>document.title="owned"')
    await expectNarrowAndDark(page, faults)
  })
})
