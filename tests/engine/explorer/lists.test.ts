import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import { cells, openExplorer, settled } from '../../support/explorer.ts'
import type { TestKey } from '../../support/tenants.ts'

const reportCount = 120
const errorCount = 60

let api: TestApi
let key: TestKey
let insertOne: (receivedAt: number) => Promise<void>
let browser: Browser

beforeAll(async () => {
  api = await startApi()
  const tenantId = await api.createTenant()
  const siteId = await api.createSite(tenantId)
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
      ...{ reportType: 'network-error', feature: 'tcp.timed_out', phase: 'connection', disposition: '' },
      ...{ requestUrl: `https://n${index}.example/`, requestOrigin: `https://n${index}.example` },
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
async function pageThrough(page: Page, panel: string): Promise<(string | undefined)[]> {
  const texts = []
  for (;;) {
    const text = (await countOf(page, panel).textContent()) ?? ''
    texts.push(/^.*?(?=Show|, as of|$)/.exec(text)?.[0])
    if ((await showMore(page, panel).count()) === 0) return texts
    await showMore(page, panel).click()
    await expect.poll(() => countOf(page, panel).textContent()).not.toBe(text)
  }
}

describe('a list', () => {
  test('of reports and a ranking say how many of how many they show, and page on', async () => {
    const page = await open('/explorer')
    expect(await pageThrough(page, 'newest')).toEqual([20, 40, 60, 80, 100, 120].map((shown) => `${shown} of 120`))
    expect(await cells(page, 'newest', 'Received')).toHaveLength(reportCount)
    expect(await countOf(page, 'ranking-1').textContent()).toContain('10 of 100 or more')
    await showMore(page, 'ranking-1').click()
    expect(await countOf(page, 'ranking-1').textContent()).toContain('20 of 100 or more')
    expect(new Set(await cells(page, 'ranking-1', 'blockedHost')).size).toBe(20)
    expect(await countOf(page, 'ranking-2').textContent()).toBe('1 of 1')
    await page.context().close()
  })

  test('whose length the API does not count says that more follow, up to its end', async () => {
    const page = await open('/explorer?view=issues')
    expect(await pageThrough(page, 'issues')).toEqual(['50 of more than 50', '100 of more than 100', '120 of 120'])
    expect(new Set(await cells(page, 'issues', 'Host')).size).toBe(reportCount)
    await page.context().close()
  })

  test('whose totals count its groups says of how many from its start', async () => {
    const page = await open('/explorer?view=network')
    expect(await pageThrough(page, 'network-errors')).toEqual(['50 of 60', '60 of 60'])
    await page.context().close()
  })

  test('stays as it was when a later page was read, and follows again when it is asked to', async () => {
    const page = await open('/explorer', true)
    await showMore(page, 'newest').click()
    await expect.poll(() => countOf(page, 'newest').textContent()).toMatch(/^40 of 120, as of .* UTC/)
    await insertOne(Date.now() - 1_000)
    const total = page.locator('#total .big')
    await expect
      .poll(
        async () => {
          await page.clock.fastForward(10_000)
          return total.textContent()
        },
        { timeout: 60_000, interval: 500 },
      )
      .toBe('121')
    expect(await countOf(page, 'newest').textContent()).toMatch(/^40 of 120/)
    await page.getByRole('button', { name: 'Show the newest' }).click()
    await expect.poll(() => countOf(page, 'newest').textContent()).toContain('20 of 121')
    await settled(page)
    await page.context().close()
  })
})
