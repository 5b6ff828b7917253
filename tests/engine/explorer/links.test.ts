/** @module What a link opens, and where the focus is. */

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import { createWorld, startContractApi, type TestWorld } from '../../support/contract.ts'
import { openExplorer, settled } from '../../support/explorer.ts'

let api: TestApi
let world: TestWorld
let browser: Browser

beforeAll(async () => {
  api = await startContractApi()
  world = await createWorld(api)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await api?.close()
})

async function expectPanels(page: Page): Promise<void> {
  const found = await page.evaluate(`(() => {
    const all = (selector) => [...document.querySelectorAll(selector)]
    const textOf = (panel) => panel.querySelector('.note').textContent + panel.querySelector('.content').textContent
    const panels = all('#view section').map((panel) => textOf(panel).trim() !== '')
    return { current: all('#views [aria-current]').length, pickers: all('#controls select').length > 1, panels }
  })()`)
  expect(found).toEqual({ current: 1, pickers: true, panels: expect.arrayContaining([true]) })
  expect(found).not.toMatchObject({ panels: expect.arrayContaining([false]) })
}

const words = ['', 'constructor', '__proto__']
const times = ['', 'constructor', '2026-02-30T99:00:00Z', '-271821-04-20T00:00:00Z', '+275760-09-13T00:00:00Z']

describe('a link', () => {
  test.each(['from=2026-11-01T00:00:00Z', 'type=constructor', 'view=toString'])(
    'with %s opens a page with panels',
    async (query) => {
      const { page, faults } = await openExplorer(browser, api, world.key, `/explorer?${query}`)
      await expectPanels(page)
      expect(faults).toEqual([])
      await page.context().close()
    },
  )

  test('with any other value does so too', async () => {
    const { page, faults } = await openExplorer(browser, api, world.key)
    const names = { view: words, type: words, range: words, by: words, site: [...words, '..'], from: times, to: times }
    const queries = Object.entries(names).flatMap(([name, values]) => values.map((value) => ({ [name]: value })))
    const others = [
      { from: 'banana', to: '2026-11-01T00:00:00Z' },
      { from: '2026-11-01T00:00:00Z', to: 'banana' },
      { view: 'pci', site: '..' },
    ]
    for (const query of [...queries, ...others]) {
      const search = new URLSearchParams(query as Record<string, string>)
      await page.evaluate(`history.pushState(null, '', '?${search}'); dispatchEvent(new PopStateEvent('popstate'))`)
      await settled(page)
      await expectPanels(page)
    }
    expect(faults).toEqual([])
    await page.context().close()
  })
})

test.each([
  ['range=31d', { last: '31d' }, { last: '7d' }],
  ['range=6h', { last: '6h' }, { last: '6h' }],
  ['from=2026-11-01T00:00:00.000Z', { from: '2026-11-01T00:00:00.000Z' }, { last: '7d' }],
])('%s sends the same requests whenever it is polled', async (query, window, narrower) => {
  const { page } = await openExplorer(browser, api, world.key, `/explorer?${query}`)
  const sent = (await page.evaluate(`performance.getEntriesByType('resource').map(({ name }) => name)`)) as string[]
  const windowsOf = (path: string) =>
    sent
      .map((url) => new URL(url))
      .filter(({ pathname }) => pathname === path)
      .map(({ searchParams }) =>
        Object.fromEntries([...searchParams].filter(([name]) => ['last', 'from', 'to'].includes(name))),
      )
  expect(windowsOf('/v1/reports/histogram')).toEqual([window])
  expect(windowsOf('/v1/reports')).toEqual([narrower])
  await page.context().close()
})

describe('the focus stays', () => {
  const focused = (page: Page) =>
    page.evaluate('document.activeElement.name || document.activeElement.title || document.activeElement.textContent')

  test('on the control that changed', async () => {
    const { page } = await openExplorer(browser, api, world.key, '/explorer?by=browserName&and=directive')
    for (const name of ['range', 'type', 'by', 'and', 'site']) {
      await page.locator(`select[name=${name}]`).focus()
      const before = page.url()
      await page.keyboard.press('ArrowDown')
      await expect.poll(() => page.url()).not.toBe(before)
      expect(await focused(page)).toBe(name)
      await settled(page)
      expect(await focused(page)).toBe(name)
    }
    await page.getByRole('link', { name: 'Issues' }).focus()
    await page.keyboard.press('Enter')
    await settled(page)
    expect(await focused(page)).toBe('Issues')
    await page.context().close()
  })

  test('on a value that filters, on the next chip when one is removed, and on Export', async () => {
    const { page } = await openExplorer(browser, api, world.key, '/explorer?by=browserName&and=directive')
    for (const panel of ['ranking-1', 'ranking-2']) {
      const value = page.locator(`#${panel} td .value`).first()
      const title = await value.getAttribute('title')
      await value.focus()
      await page.keyboard.press('Enter')
      await settled(page)
      expect(await focused(page)).toBe(title)
    }
    const chips = page.locator('#filters button')
    expect(await chips.count()).toBe(2)
    const kept = await chips.nth(1).textContent()
    await chips.first().focus()
    await page.keyboard.press('Enter')
    expect(await focused(page)).toBe(kept)
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('view')
    await settled(page)
    const save = page.locator('#newest').getByRole('button', { name: 'Export' })
    await save.focus()
    await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
    expect(await focused(page)).toBe('Export')
    await page.context().close()
  })
})

test('a tenant without sites sees how to begin, and its first site when there is one', async () => {
  const tenantId = await api.createTenant()
  const key = await api.createKey(tenantId)
  const { page, faults } = await openExplorer(browser, api, key, '/explorer?view=pci', { ownClock: true })
  const text = await page.locator('main').textContent()
  expect(text).toContain(`sites create --tenant ${tenantId}`)
  expect(text).not.toContain('undefined')
  await api.createSite(tenantId, { name: 'First shop' })
  const show = async () => {
    await page.clock.fastForward(10_000)
    return page
      .locator('#pci')
      .textContent({ timeout: 2_000 })
      .catch(() => '')
  }
  await expect.poll(show, { timeout: 60_000, interval: 500 }).toContain('First shop')
  expect(faults).toEqual([])
  await page.context().close()
})
