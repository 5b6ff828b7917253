import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import type { TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import { createWorld, startContractApi, type TestWorld } from '../../support/contract.ts'
import { focused, forLong, openExplorer, settled } from '../../support/explorer.ts'
import type { TestKey } from '../../support/tenants.ts'

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

const open = (path: string, key: TestKey = world.key, options = {}) => openExplorer(browser, api, key, path, options)

const total = (page: Page) => page.locator('#histogram .note').textContent()

test('a value that is pressed filters, in the API’s own parameter names, also for who is sent the link', async () => {
  const { page } = await open('/explorer?noise=include')
  const first = page.locator('#ranking-1 .only').first()
  const name = (await first.textContent()) ?? ''
  await first.click()
  await settled(page)
  expect(new URL(page.url()).search).toBe(`?noise=include&blockedHost.any=${encodeURIComponent(name)}`)
  const { body } = await api.get(`/v1/reports/count?last=7d&${new URL(page.url()).searchParams.toString().slice(14)}`, {
    key: world.key,
  })
  await expect.poll(() => total(page), forLong).toContain(`${body.data.reportCount} reports`)
  const { page: other } = await open(new URL(page.url()).pathname + new URL(page.url()).search)
  expect(await total(other)).toBe(await total(page))
  await other.getByLabel(`Remove filter: blockedHost is ${name}`).click()
  expect(new URL(other.url()).search).toBe('?noise=include')
  await other.goBack()
  expect(new URL(other.url()).searchParams.get('blockedHost.any')).toBe(name)
  await Promise.all([page.close(), other.close()])
})

test('a value that is pressed is a chip, a URL and pale panels in the next frame, before any response', async () => {
  const { page } = await open('/explorer?noise=include')
  await page.route('**/v1/**', () => {})
  const frame = await page.evaluate(`new Promise((resolve) => {
    const value = document.querySelector('#ranking-1 .only')
    value.click()
    requestAnimationFrame(() => resolve({
      value: value.textContent,
      filter: new URLSearchParams(location.search).get('blockedHost.any'),
      chips: document.querySelectorAll('[aria-label="Remove filter: blockedHost is ' + value.textContent + '"]').length,
      pale: document.querySelectorAll('#view .card.stale').length,
      emptied: document.querySelectorAll('#view .card .skeleton').length,
    }))
  })`)
  const { value } = frame as { value: string }
  expect(frame).toEqual({ value, filter: value, chips: 1, pale: expect.any(Number), emptied: 0 })
  expect((frame as { pale: number }).pale).toBeGreaterThan(2)
  await page.close()
})

test('noise, type, split and site are switches whose state is in the URL, and keep the focus', async () => {
  const { page } = await open('/explorer')
  const press = async (key: string) => {
    await page.locator(`[data-key="${key}"]`).first().focus()
    await page.keyboard.press('Enter')
    await settled(page)
    expect(await focused(page)).toBe(key)
    return new URL(page.url()).search
  }
  expect(await press('noise')).toBe('?noise=include')
  expect(await press('noise')).toBe('')
  expect(await press('type crash')).toBe('?reportType=crash')
  expect(await press('by browserName')).toBe('?reportType=crash&groupBy=browserName')
  await page.locator('[data-key=site]').click()
  await page.locator('.rail .item').nth(1).click()
  expect(new URL(page.url()).searchParams.get('siteId')).toMatch(/^[0-9a-f-]{36}$/)
  expect(await focused(page)).toBe('site')
  await page.close()
})

test('the view is copied as curl lines without the key, an issue as Markdown, and reports are exported whole', async () => {
  const { page } = await open(`/explorer?view=reports&siteId=${world.siteIds[0]}&noise=include`, world.key, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const copied = () => page.evaluate('navigator.clipboard.readText()') as Promise<string>
  const pick = async (name: string) => {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('button', { name }).click()
  }
  await pick('Copy as curl')
  await expect.poll(copied).toContain(`'${api.url}/v1/reports?`)
  expect(await copied()).not.toContain(world.key.key)
  const [download] = await Promise.all([page.waitForEvent('download'), pick('Export reports as CSV')])
  const file = await (await download.createReadStream()).setEncoding('utf8').toArray()
  const { data } = (await api.get(`/v1/reports/count?siteId=${world.siteIds[0]}`, { key: world.key })).body
  expect(file.join('').match(/^"[0-9a-f-]{36}"/gm)).toHaveLength(data.reportCount)
  await page.goto(`${api.url}/explorer?view=issues&reportType=csp-violation`)
  await page.locator('#issues tr [data-focus]').first().click()
  await page.getByRole('button', { name: 'Markdown' }).click()
  await expect.poll(copied).toMatch(/^## `.+` blocked `.+`\n\n- Site: /)
  await page.close()
})

test('new reports appear by themselves, and a poll that finds none is a 304', async () => {
  const { page } = await open('/explorer', world.key, { ownClock: true })
  const before = await total(page)
  let unchanged = 0
  page.on('response', (response) => {
    if (response.status() === 304) unchanged += 1
  })
  const afterPoll = async <Value>(read: () => Value) => {
    await page.clock.fastForward(10_000)
    return read()
  }
  await expect.poll(() => afterPoll(() => unchanged), forLong).toBeGreaterThan(0)
  const { tenantId, siteIds } = world
  const receivedAt = Date.now() - 5_000
  await api.insertReports([aReport({ tenantId, siteId: siteIds[1], receivedAt, id: uuidV7(receivedAt, seeded(9)) })])
  await expect.poll(() => afterPoll(() => total(page)), forLong).not.toBe(before)
  await page.close()
})

test('a key that is none has a form above the page, with the API’s words, and is in the tab alone', async () => {
  const { page } = await open('/explorer?view=issues')
  await page.getByRole('button', { name: 'Forget the key' }).click()
  await page.getByLabel('Key', { exact: true }).fill(`srk_live_${'x'.repeat(40)}`)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByRole('alert').first().textContent(), forLong).toContain('API key')
  expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}')
  await page.getByLabel('Key', { exact: true }).fill(world.key.key)
  await page.keyboard.press('Enter')
  await page.locator('#issues td').first().waitFor()
  expect(await page.getByLabel('Key', { exact: true }).count()).toBe(0)
  await page.close()
})

const words = ['', 'constructor', '__proto__']
const times = ['', 'constructor', '2026-02-30T99:00:00Z', '-271821-04-20T00:00:00Z', '+275760-09-13T00:00:00Z']

test('a link with any value opens a page with panels', async () => {
  const { page, faults } = await open('/explorer')
  const names = {
    view: words,
    reportType: words,
    last: words,
    groupBy: words,
    noise: words,
    timeZone: words,
    siteId: [...words, '..'],
    from: times,
    to: times,
  }
  const queries = Object.entries(names).flatMap(([name, values]) => values.map((value) => ({ [name]: value })))
  const others = [
    { from: 'banana', to: '2026-11-01T00:00:00Z' },
    { from: '2026-11-01T00:00:00Z', to: 'banana' },
    { view: 'issue', siteId: '..', issueId: '..' },
    { view: 'issues', 'confidence.any': 'banana', new: 'banana' },
  ]
  for (const query of [...queries, ...others]) {
    const search = new URLSearchParams(query as Record<string, string>)
    await page.evaluate(`history.pushState(null, '', '?${search}'); dispatchEvent(new PopStateEvent('popstate'))`)
    await settled(page)
    const found = await page.evaluate(`(() => {
      const panels = [...document.querySelectorAll('#view .card')].map((panel) => panel.textContent.trim() !== '')
      return { current: document.querySelectorAll('.rail [aria-current=page]').length > 0, isWhole: panels.length > 0 && !panels.includes(false) }
    })()`)
    expect([query, found]).toEqual([query, { current: true, isWhole: true }])
  }
  expect(faults).toEqual([])
  await page.close()
})

test.each([
  ['last=31d', { last: '31d' }, { last: '7d' }],
  ['last=6h', { last: '6h' }, { last: '6h' }],
  ['from=2026-11-01T00:00:00.000Z', { from: '2026-11-01T00:00:00.000Z' }, { last: '7d' }],
])('%s sends the same requests whenever it is polled', async (query, window, narrower) => {
  const { page } = await open(`/explorer?view=reports&${query}`)
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
  await page.close()
})

test('the overview reads at most 12 operations and 100 KB, and no target twice', async () => {
  const { page } = await open('/explorer')
  await settled(page)
  const read = (await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => [name, encodedBodySize])`,
  )) as [string, number][]
  const targets = read.map(([name]) => name).filter((name) => name.includes('/v1/'))
  expect(targets.length).toBeLessThanOrEqual(12)
  expect(new Set(targets).size).toBe(targets.length)
  expect(read.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThan(100_000)
  // A module a view, and few that views share.
  expect(read.length - targets.length).toBeLessThan(25)
  await page.close()
})
