/** @module The keyboard alone: after each step the focus is where the hand is, and the URL has the state. */

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import { expectSound, focused, forLong, openExplorer, settled, tabTo } from '../../support/explorer.ts'
import type { TestKey } from '../../support/tenants.ts'

let api: TestApi
let key: TestKey
let browser: Browser

/** The most reported first. */
const hosts = ['pay-1.example', 'pay-2.example', 'pay-3.example', 'other.example']

beforeAll(async () => {
  api = await startApi()
  const tenantId = await api.createTenant()
  const siteId = await api.createSite(tenantId)
  key = await api.createKey(tenantId)
  const random = seeded(5)
  const startedAt = Date.now()
  await api.insertReports(
    hosts.flatMap((host, rank) =>
      Array.from({ length: 8 - 2 * rank }, (_, index) => {
        const receivedAt = startedAt - (rank * 10 + index + 1) * 60_000
        return aReport({
          tenantId,
          siteId,
          receivedAt,
          id: uuidV7(receivedAt, random),
          blockedHost: host,
          issueHost: host,
        })
      }),
    ),
  )
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await api?.close()
})

const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

/** Waits for both, since a response can take the focus's row away. */
async function expectAt(page: Page, focus: string | RegExp, query: object): Promise<void> {
  await settled(page)
  const expected = { focus: typeof focus === 'string' ? focus : expect.stringMatching(focus), query }
  await expect.poll(async () => ({ focus: await focused(page), query: queryOf(page) }), forLong).toEqual(expected)
}

test('a filter, a ranking, an issue and the help are worked without a mouse', async () => {
  const { page, faults } = await openExplorer(browser, api, key)
  const { keyboard } = page
  await tabTo(page, '[data-key=window]')
  await keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('Last 7 days')
  await keyboard.press('ArrowUp')
  await expect.poll(() => focused(page)).toBe('Last 24 hours')
  await keyboard.press('Enter')
  const day = { last: '24h' }
  await expectAt(page, 'window', day)

  await keyboard.press('/')
  await expect.poll(() => focused(page)).toBe('Filter by')
  await keyboard.type('blockedHost')
  await keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('blockedHost: value')
  await keyboard.type('pay')
  await page.locator('[role=option]', { hasText: 'pay-3.example' }).waitFor()
  await expectSound(page)
  await keyboard.press('Enter')
  const pay = { ...day, 'blockedHost.contains': 'pay' }
  await expectAt(page, 'add filter', pay)
  await expect.poll(() => page.locator('#ranking-1 li').count(), forLong).toBe(3)

  await tabTo(page, '#ranking-1 [data-row] *')
  await expectAt(page, 'ranking-1 pay-1.example', pay)
  await keyboard.press('n')
  const not = { ...pay, 'blockedHost.not': 'pay-1.example' }
  await expectAt(page, 'ranking-1 pay-2.example', not)
  await keyboard.press('j')
  await expectAt(page, 'ranking-1 pay-3.example', not)
  await keyboard.press('x')
  const only = { ...day, 'blockedHost.any': 'pay-3.example' }
  await expectAt(page, 'ranking-1 pay-3.example', only)
  await page.goBack()
  await expectAt(page, 'ranking-1 pay-3.example', not)
  await page.goBack()
  await expectAt(page, 'ranking-1 pay-1.example', pay)

  await keyboard.press('g')
  await keyboard.press('i')
  const listed = { ...pay, view: 'issues' }
  await expectAt(page, 'Issues', listed)
  await keyboard.press('j')
  await keyboard.press('j')
  const second = await page.locator('#issues [data-row]').nth(1).getAttribute('data-key')
  await expectAt(page, second ?? '', listed)
  await keyboard.press('Enter')
  await expectAt(page, /^script-src-elem blocked pay-/, {
    ...listed,
    view: 'issue',
    reportType: 'csp-violation',
    siteId: expect.any(String),
    issueId: second?.split(' ')[1],
  })
  await page.goBack()
  await expectAt(page, second ?? '', listed)
  await keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await expect.poll(() => focused(page)).toBe('Close')
  await expectSound(page)
  await keyboard.press('Escape')
  await expectAt(page, second ?? '', listed)
  expect(faults).toEqual([])
  await page.close()
})

test('a report opens in a drawer with all its fields, and Escape goes back to its row', async () => {
  const { page } = await openExplorer(browser, api, key, '/explorer?view=reports')
  await page.keyboard.press('j')
  const row = await focused(page)
  await page.keyboard.press('Enter')
  const names = await page.getByRole('dialog').locator('dt').allTextContents()
  expect(names).toEqual(expect.arrayContaining(['id', 'documentUrl', 'policy', 'directive']))
  await expectSound(page)
  const link = new URL(page.url())
  expect(link.searchParams.get('reportId')).toMatch(/^[0-9a-f-]{36}$/)
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(page), forLong).toBe(row)
  expect(queryOf(page)).toEqual({ view: 'reports' })
  // A link to the report opens it, whatever the list has.
  await page.goto(`${link.href}&blockedHost.any=none.example`)
  await page.getByRole('dialog').locator('dt').first().waitFor()
  expect(await page.getByRole('dialog').textContent()).toContain(link.searchParams.get('reportId'))
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count(), forLong).toBe(0)
  await settled(page)
  for (const [key, view] of Object.entries({
    p: 'policy',
    a: 'alerts',
    s: 'scripts',
    m: 'pages',
    d: 'pci',
    u: 'setup',
  })) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await expect.poll(() => queryOf(page).view, forLong).toBe(view)
    await settled(page)
  }
  await page.close()
})

test('a chip that is removed leaves the focus at the next', async () => {
  const { page } = await openExplorer(
    browser,
    api,
    key,
    '/explorer?directive.any=img-src&blockedHost.not=a&blockedHost.not=b',
  )
  expect(await page.locator('.chip').allTextContents()).toEqual(['directive is img-src✕', 'blockedHost is not a, b✕'])
  await page.getByLabel('Remove filter: directive is img-src').focus()
  await page.keyboard.press('Enter')
  await expectAt(page, 'chip blockedHost not', { 'blockedHost.not': 'b' })
  await page.close()
})
