/** @module The explorer in a browser, as a tab that holds a key. */

import axe from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { TestApi } from './api.ts'
import type { TestKey } from './tenants.ts'

/** Other tests' servers share the processors. */
const waitMs = 300_000

export const forLong = { timeout: waitMs, interval: 250 }

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

const viewport = { width: 1280, height: 900 }

/** Context of each browser's pages without options: a window takes Chromium several times as long as a tab. */
const contexts = new WeakMap<Browser, BrowserContext>()

async function sharedContext(browser: Browser): Promise<BrowserContext> {
  const known = contexts.get(browser)
  if (known) return known
  const context = await browser.newContext({ viewport })
  contexts.set(browser, context)
  context.on('close', () => contexts.delete(browser))
  return context
}

/** Pages share a context unless they have options of one or a clock; so a page is closed, not its context. */
export async function openExplorer(
  browser: Browser,
  api: TestApi,
  key: TestKey,
  path = '/explorer',
  { ownClock = false, initScript, ...options }: ExplorerOptions = {},
): Promise<OpenedExplorer> {
  const hasOwn = ownClock || Object.keys(options).length > 0
  const context = await (hasOwn ? browser.newContext({ viewport, ...options }) : sharedContext(browser))
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

/** Every panel has read what it shows, and the rail its counts. */
export async function settled(page: Page): Promise<void> {
  await page
    .locator('body:not(:has([aria-busy=true])) #view :is(.card, [role=alert])')
    .first()
    .waitFor({ state: 'attached' })
}

/** Texts of a column, in a panel. */
export const cells = (page: Page, panel: string, label: string): Promise<string[]> =>
  page.locator(`#${panel} td[data-label="${label}"]`).allTextContents()

/** Counts of a ranking, in its order. */
export const figures = (page: Page, panel: string): Promise<string[]> =>
  page.locator(`#${panel} .ranking .figure`).allTextContents()

export const shownNumber = (value: number): string => new Intl.NumberFormat('en').format(value)

/** What has the focus: its own or its row's key, or the text of a heading. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(
    `(({ activeElement: at }) => at.closest('[data-key]')?.dataset.key ?? (at.ariaLabel || at.name || at.textContent.trim() || at.id))(document)`,
  )

/** Presses Tab until an element of the selector has the focus. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let pressed = 0; pressed < 100; pressed++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(`document.activeElement.matches('${selector}')`)) return
  }
  throw new Error(`100 times Tab do not reach ${selector}`)
}

/** Nothing that axe finds, nothing wider than the screen, no text of a report run. */
export async function expectSound(page: Page): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as axe.AxeResults
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  expect(await widest(page)).toBe(0)
  expect(await page.title()).not.toBe('owned')
  expect(await page.locator('main img, main script, main iframe').count()).toBe(0)
}

/** Pixels by which the page is wider than its window. */
const widest = (page: Page) => page.evaluate('Math.max(0, document.documentElement.scrollWidth - innerWidth)')

/** Heads of columns with a word that has no room. */
const cutHeads = (page: Page) =>
  page.evaluate(
    `[...document.querySelectorAll('#view th')].flatMap((head) => head.scrollWidth > head.clientWidth ? head.textContent : [])`,
  )

/** Fits into any width from that of a small phone to that of a large screen. */
export async function expectFits(page: Page): Promise<void> {
  for (const width of [320, 390, 500, 640, 768, 1023, 1024, 1101, 1280, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    await expect.poll(async () => [width, await widest(page), await cutHeads(page)], forLong).toEqual([width, 0, []])
  }
}
