/** @module The explorer in a browser, as a tab that holds a key. */

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { TestApi } from './api.ts'
import type { TestKey } from './tenants.ts'

/** Other tests' servers share the processors. */
const waitMs = 60_000

export interface OpenedExplorer {
  readonly page: Page
  /** Exceptions and refused resources; empty for a page that works. */
  readonly faults: readonly string[]
}

interface ExplorerOptions extends BrowserContextOptions {
  /** The page's clock can be put forward: `page.clock.fastForward`. */
  readonly ownClock?: boolean
  readonly initScript?: string
}

export async function openExplorer(
  browser: Browser,
  api: TestApi,
  key: TestKey,
  path = '/explorer',
  { ownClock = false, initScript, ...options }: ExplorerOptions = {},
): Promise<OpenedExplorer> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(waitMs)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (4|5)\d\d/.test(message.text())) faults.push(message.text())
  })
  await page.addInitScript(`sessionStorage.setItem('security-reporting-key', '${key.key}')`)
  if (initScript) await page.addInitScript(initScript)
  if (ownClock) await page.clock.install()
  await page.goto(api.url + path)
  await settled(page)
  return { page, faults }
}

/** Every panel has read what it shows, or there is none. */
export async function settled(page: Page): Promise<void> {
  await page
    .locator('body:not(:has([aria-busy])) :is(section .content, #first-steps)')
    .first()
    .waitFor({ state: 'attached' })
}

/** Texts of a column, in a panel. */
export const cells = (page: Page, panel: string, label: string): Promise<string[]> =>
  page.locator(`#${panel} td[data-label="${label}"]`).allTextContents()

export const shownNumber = (value: number): string => new Intl.NumberFormat('en').format(value)
