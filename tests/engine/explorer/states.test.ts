/** @module What the page shows where there is nothing, an error, a pause, or no API at all. */

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import { expectSound, forLong, openExplorer, settled } from '../../support/explorer.ts'
import type { TestKey } from '../../support/tenants.ts'

let api: TestApi
let tenantId: string
let key: TestKey
let browser: Browser

beforeAll(async () => {
  api = await startApi()
  tenantId = await api.createTenant()
  await api.createSites(tenantId, 201)
  key = await api.createKey(tenantId)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await api?.close()
})

const names = ['overview', 'reports', 'issues', 'issue']

describe('without reports', () => {
  test.each(names)('the view %s is whole, light and dark', async (view) => {
    const query = view === 'issue' ? '&issueId=8d5e957f29789348&blockedHost.not=a' : '&blockedHost.any=a'
    const { page, faults } = await openExplorer(browser, api, key, `/explorer?view=${view}${query}`)
    await expectSound(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 390, height: 900 })
    await expectSound(page)
    if (view !== 'issue') expect(await page.locator('#first-steps').textContent()).toContain('sites headers --tenant')
    if (view !== 'issue')
      expect(await page.getByRole('button', { name: 'Drop blockedHost is a' }).count()).toBeGreaterThan(0)
    expect(faults).toEqual([])
    await page.close()
  })
})

test('errors have the API’s words and the request’s id in each panel, and can be tried again', async () => {
  const { page } = await openExplorer(browser, api, key, '/explorer?from=2026-02-30T99:00:00Z')
  const alert = page.locator('#histogram [role=alert]')
  expect(await alert.textContent()).toMatch(/from.*Request [0-9a-f-]{36}.*Try again/s)
  await expectSound(page)
  await page.close()
})

test('the site picker has every site of a tenant with more than a page of them, and a search', async () => {
  const { page } = await openExplorer(browser, api, key)
  await page.locator('[data-key=site]').click()
  // One more for all sites.
  expect(await page.locator('.rail .item').count()).toBe(202)
  const isCut = `(({ right, top }) => !document.elementFromPoint(right - 4, top + 4)?.closest('.surface'))(document.querySelector('.rail .surface').getBoundingClientRect())`
  expect(await page.evaluate(isCut)).toBe(false)
  await expectSound(page)
  await page.getByLabel('Search sites').fill('no such site')
  await expect.poll(() => page.locator('.rail .item').count()).toBe(1)
  await page.close()
})

test('a key of one site has its name and no picker', async () => {
  const [siteId = ''] = await api.createSites(tenantId, 1)
  const { page } = await openExplorer(browser, api, await api.createKey(tenantId, { siteId }))
  expect(await page.locator('[data-key=site]').count()).toBe(0)
  expect(await page.locator('.site-name').count()).toBe(1)
  await page.close()
})

test('an API that is away has one line above the view, which keeps what it had', async () => {
  const { page } = await openExplorer(browser, api, key, '/explorer', { ownClock: true })
  const before = await page.locator('#types').textContent()
  await page.route('**/v1/**', (route) => route.abort())
  const poll = async () => {
    await page.clock.fastForward(10_000)
    return page.locator('.notice').allTextContents()
  }
  await expect.poll(poll, forLong).toEqual([expect.stringContaining('Cannot reach the API')])
  expect(await page.locator('#types').textContent()).toBe(before)
  expect(await page.locator('#view [role=alert]').count()).toBe(0)
  await expectSound(page)
  await page.unroute('**/v1/**')
  await expect.poll(poll, forLong).toEqual([])
  await page.close()
})

test('a collector that is minutes behind has one line above the view', async () => {
  const { page } = await openExplorer(browser, api, key, '/explorer', { ownClock: true })
  await page.route('**/waiting.json', (route) => route.fulfill({ json: { seconds: 150 } }))
  const poll = async () => {
    await page.clock.fastForward(15_000)
    return page.locator('.notice').allTextContents()
  }
  await expect.poll(poll, forLong).toEqual(['Reports of the last 3 minutes are still being stored.'])
  await page.close()
})

test('a spent budget is one line that counts down, and the page goes on after it', async () => {
  const narrow = await api.createTenant({ overrides: { keyLimit: 4, tenantLimit: 100 } })
  await api.createSite(narrow)
  const { page } = await openExplorer(browser, api, await api.createKey(narrow))
  await expect
    .poll(() => page.locator('.notice').textContent(), forLong)
    .toMatch(/budget of requests .* Next request in \d+ s/)
  await expectSound(page)
  await page.close()
})

test('a tenant without sites sees how to begin, and its first site when there is one', async () => {
  const empty = await api.createTenant()
  const { page, faults } = await openExplorer(browser, api, await api.createKey(empty), '/explorer', { ownClock: true })
  const text = await page.locator('main').textContent()
  expect(text).toContain(`sites create --tenant ${empty}`)
  await page.getByRole('button', { name: 'nginx' }).click()
  await expect
    .poll(() => page.locator('main').textContent())
    .toContain(`sites headers --tenant ${empty} --site ID --format nginx`)
  expect(text).not.toContain('undefined')
  await expectSound(page)
  await api.createSite(empty, { name: 'First shop' })
  const show = async () => {
    await page.clock.fastForward(10_000)
    return page.locator('#histogram').count()
  }
  await expect.poll(show, forLong).toBe(1)
  await settled(page)
  expect(faults).toEqual([])
  await page.close()
})
