/** @module The page at /docs in a browser: one load, and one more with the key of its tab. */

import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import type { TestKey } from '../../support/tenants.ts'

let api: TestApi
let key: TestKey
let siteId: string
let browser: Browser
let page: Page
const faults: string[] = []

beforeAll(async () => {
  api = await startApi()
  const tenantId = await api.createTenant()
  siteId = await api.createSite(tenantId)
  key = await api.createKey(tenantId)
  browser = await launchChromium()
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' })
  page = await context.newPage()
  page.on('pageerror', ({ message }) => faults.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  await page.goto(`${api.url}/docs`)
})
afterAll(async () => {
  await browser?.close()
  await api?.close()
})

const shownPaths = async () =>
  (await page.locator('.opblock-summary-path').allTextContents()).map((path) => path.replaceAll('\u200b', ''))

const isDark = () => page.evaluate("document.documentElement.classList.contains('dark-mode')")

const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth')

/** Until the page is in the scheme; buttons of Swagger UI change their colours in 0.3 s. */
async function switchTo(colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await expect.poll(isDark).toBe(colorScheme === 'dark')
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => {})')
}

/** Swagger UI's own: links within its buttons, and lists of choices without names. */
const rulesOfSwagger = { 'nested-interactive': { enabled: false }, 'select-name': { enabled: false } }

async function expectAccessible(): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  const options = JSON.stringify({ rules: rulesOfSwagger })
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as axe.AxeResults
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
}

async function execute(): Promise<string | null> {
  const operation = page.locator('.opblock', { hasText: 'csp-policies/check' })
  expect(await operation.getByPlaceholder('siteId').inputValue()).toBe(siteId)
  expect(await operation.getByPlaceholder('policy', { exact: true }).inputValue()).toContain('default-src')
  expect(await operation.getByPlaceholder('policyId').inputValue()).toBe('')
  await operation.getByRole('button', { name: 'Execute' }).click()
  return operation.locator('.live-responses-table tbody .response-col_status').first().textContent()
}

test('a search finds operations by words of their path, description and parameters, from the key /', async () => {
  await page.locator('.opblock').first().waitFor()
  const all = await shownPaths()
  expect(all.length).toBeGreaterThan(20)
  await expectAccessible()
  await switchTo('dark')
  await expectAccessible()
  await page.setViewportSize({ width: 390, height: 900 })
  await expectAccessible()
  await switchTo('light')
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.keyboard.press('/')
  await page.keyboard.type('check POLICY')
  await expect.poll(() => page.locator('#found').textContent()).toBe('1 found')
  expect(await shownPaths()).toEqual(['/v1/sites/{siteId}/csp-policies/check'])
  await page.locator('#search').fill('no such words')
  await expect.poll(() => page.locator('#found').textContent()).toContain('No operation')
  await page.locator('#search').fill('')
  await expect.poll(shownPaths).toEqual(all)
})

test('a key is entered once a tab, and fills the parameters that an operation requires', async () => {
  await page.getByRole('button', { name: 'Authorize' }).click()
  await page.locator('.modal-ux input').fill(key.key)
  await page.locator('.modal-ux .authorize').click()
  await page.locator('.modal-ux button', { hasText: 'Logout' }).waitFor()
  await page.locator('.modal-ux .close-modal').click()
  await page.locator('#search').fill('check policy')
  await page.locator('.opblock', { hasText: 'csp-policies/check' }).locator('button').first().click()
  expect(await execute()).toContain('200')
  expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}')
  // Its URL names the operation that is open.
  await page.reload()
  expect(await execute()).toContain('200')
})

test('it follows the scheme of the browser, fits into 390 px, and breaks no policy', async () => {
  expect([await isDark(), await fits()]).toEqual([false, true])
  await switchTo('dark')
  await page.setViewportSize({ width: 390, height: 900 })
  await expect.poll(fits).toBe(true)
  expect(faults).toEqual([])
})
