import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import { cells, forLong, openExplorer, settled } from '../../support/explorer.ts'
import type { TestKey } from '../../support/tenants.ts'

const reportCount = 120
const errorCount = 60

let api: TestApi
let key: TestKey
let siteId: string
let insertOne: (receivedAt: number) => Promise<void>
let browser: Browser

beforeAll(async () => {
  api = await startApi()
  const tenantId = await api.createTenant({ plan: 'enterprise' })
  siteId = await api.createSite(tenantId)
  key = await api.createKey(tenantId)
  const random = seeded(4)
  const startedAt = Date.now()
  const report = (receivedAt: number) => ({ tenantId, siteId, receivedAt, id: uuidV7(receivedAt, random) })
  const violations = Array.from({ length: reportCount }, (_, index) => {
    const host = `h${index}.example`
    return aReport({ ...report(startedAt - (index + 1) * 60_000), blockedHost: host, issueHost: host })
  })
  const errors = Array.from({ length: errorCount }, (_, index) =>
    aReport({
      ...report(startedAt - (index + 1) * 60_000),
      reportType: 'network-error',
      feature: 'tcp.timed_out',
      phase: 'connection',
      disposition: '',
      requestUrl: `https://n${index}.example/`,
      requestOrigin: `https://n${index}.example`,
    }),
  )
  await api.insertReports([...violations, ...errors])
  insertOne = (receivedAt) => api.insertReports([aReport(report(receivedAt))])
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await api?.close()
})

const open = async (path: string, ownClock = false) => (await openExplorer(browser, api, key, path, { ownClock })).page

const countOf = (page: Page, panel: string) => page.locator(`#${panel} .count`)

const showMore = (page: Page, panel: string) => page.locator(`#${panel}`).getByRole('button', { name: 'Show more' })

/** Presses until every row is shown; the texts in between. */
async function pageThrough(page: Page, panel: string): Promise<string[]> {
  const texts = []
  for (;;) {
    const text = (await countOf(page, panel).textContent()) ?? ''
    texts.push(text)
    if ((await showMore(page, panel).count()) === 0) return texts
    await showMore(page, panel).click()
    await expect.poll(() => countOf(page, panel).textContent()).not.toBe(text)
  }
}

describe('a list', () => {
  test('of reports and a ranking have how many of how many they show, and page on', async () => {
    const page = await open('/explorer?view=reports&groupBy=blockedHost&noise=include')
    const ranking = page.locator('#ranking')
    expect(await ranking.textContent()).toContain('20 of 120')
    await showMore(page, 'ranking').click()
    await expect.poll(() => ranking.textContent()).toContain('40 of 120')
    expect(new Set(await page.locator('#ranking .only').allTextContents()).size).toBe(40)
    expect(await pageThrough(page, 'newest')).toEqual([20, 40, 60, 80, 100, 120].map((shown) => `${shown} of 120`))
    expect(await cells(page, 'newest', 'Received')).toHaveLength(reportCount)
    await page.close()
  })

  test('of issues and of network errors has their number from its start', async () => {
    const page = await open('/explorer?view=issues&noise=include')
    expect(await pageThrough(page, 'issues')).toEqual(['50 of 120', '100 of 120', '120 of 120'])
    expect(new Set(await page.locator('#issues tr [data-focus]').allTextContents()).size).toBe(reportCount)
    await page.goto(`${api.url}/explorer?view=reports&reportType=network-error&noise=include`)
    await settled(page)
    expect(await pageThrough(page, 'groups')).toEqual(['20 of 60', '40 of 60', '60 of 60'])
    await page.close()
  })

  test('is as of its moment when a later page was read, and follows again with Show newest', async () => {
    const page = await open('/explorer?view=reports&noise=include', true)
    await showMore(page, 'newest').click()
    await expect.poll(() => countOf(page, 'newest').textContent()).toBe('40 of 120')
    await insertOne(Date.now() - 1_000)
    await expect
      .poll(
        async () => {
          await page.clock.fastForward(10_000)
          return page.locator('#histogram .note').textContent()
        },
        { interval: 500 },
      )
      .toContain('121 reports')
    expect(await page.locator('#newest tbody tr').count()).toBe(40)
    await page.getByRole('button', { name: 'Show newest' }).click()
    await expect.poll(() => countOf(page, 'newest').textContent()).toBe('20 of 121')
    await settled(page)
    await page.close()
  })
})

const everyView = ['overview', 'reports', 'issues', 'policy', 'alerts', 'scripts', 'pages', 'pci', 'setup']

test('every view is copied as curl lines that the API responds to, and a list is exported whole', async () => {
  const permissions = ['clipboard-read', 'clipboard-write']
  const { page } = await openExplorer(browser, api, key, `/explorer?siteId=${siteId}`, { permissions })
  const pick = async (name: string) => {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('button', { name }).click()
  }
  for (const view of everyView) {
    await page.evaluate(
      `history.pushState(null, '', '?view=${view}&siteId=${siteId}&noise=include'); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await settled(page)
    await page.evaluate("navigator.clipboard.writeText('')")
    await pick('Copy as curl')
    const copied = async () => (await page.evaluate('navigator.clipboard.readText()')) as string
    await expect.poll(copied, forLong).toContain('$KEY')
    const targets = [...(await copied()).matchAll(/'(http[^']+)'$/gm)].map(([, url = '']) => url.slice(api.url.length))
    const panels = page.locator('#view [data-target]')
    const shown = await panels.evaluateAll((all) => all.map((one) => one.getAttribute('data-target')))
    expect([view, targets]).toEqual([view, [...new Set(shown)]])
    const statuses = await Promise.all(targets.map(async (target) => (await api.get(target, { key })).status))
    expect([view, statuses]).toEqual([view, targets.map(() => 200)])
  }
  await page.goto(`${api.url}/explorer?view=issues&noise=include`)
  await settled(page)
  const [download] = await Promise.all([page.waitForEvent('download'), pick('Export “Issues” as NDJSON')])
  const file = (await (await download.createReadStream()).setEncoding('utf8').toArray()).join('')
  const ids = file
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id)
  const { body } = await api.get('/v1/issues?last=7d&total=true&limit=1', { key })
  expect([ids.length, new Set(ids).size]).toEqual([body.issueCount, body.issueCount])
  await page.close()
})
