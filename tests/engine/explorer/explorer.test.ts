import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import type { TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import { createWorld, startContractApi, type TestWorld } from '../../support/contract.ts'
import { openExplorer, settled } from '../../support/explorer.ts'
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

const forLong = { timeout: 60_000, interval: 500 }

const open = (path: string, key: TestKey = world.key, options = {}) => openExplorer(browser, api, key, path, options)

describe('a view', () => {
  test('is in the URL: a value that is pressed filters, also for who is sent the link', async () => {
    const { page } = await open('/explorer?by=browserName&and=directive')
    const [first] = await page.locator('#ranking-2 td .value').allTextContents()
    await page.locator('#ranking-2 td .value').first().click()
    await settled(page)
    expect(new URL(page.url()).searchParams.get('directive')).toBe(first)
    const total = await page.locator('#total .big').textContent()
    const { page: other } = await open(new URL(page.url()).pathname + new URL(page.url()).search)
    expect(await other.locator('#total .big').textContent()).toBe(total)
    await other.getByRole('button', { name: `directive: ${first}` }).click()
    expect(new URL(other.url()).searchParams.has('directive')).toBe(false)
    await other.goBack()
    expect(new URL(other.url()).searchParams.get('directive')).toBe(first)
    await Promise.all([page.context().close(), other.context().close()])
  })

  test('of issues opens the reports of a host that is pressed', async () => {
    const { page } = await open('/explorer?view=issues&type=crash')
    const host = page.locator('#issues td[data-label="Host"] button').first()
    const name = await host.textContent()
    await host.click()
    await page.getByRole('button', { name: `blockedHost: ${name}` }).waitFor()
    await settled(page)
    expect(await page.locator('#total .big').textContent()).not.toBe('0')
    expect(await page.evaluate('document.activeElement.id')).toBe('view')
    await page.context().close()
  })

  test('is worked by keyboard alone: a report opens in a drawer with all its fields, and Escape goes back', async () => {
    const { page } = await open('/explorer')
    const button = page.locator('#newest td .value').first()
    await button.focus()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog')
    const names = await drawer.locator('dt').allTextContents()
    expect(names).toEqual(expect.arrayContaining(['id', 'documentUrl', 'policy', 'stack']))
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('dialog').count(), forLong).toBe(0)
    expect(await page.evaluate('document.activeElement.textContent')).toBe(await button.textContent())
    await page.context().close()
  })

  test('is copied as a curl line without the key, and exported whole', async () => {
    const { page } = await open(`/explorer?site=${world.siteIds[0]}`, world.key, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.locator('#newest').getByRole('button', { name: 'Copy as curl' }).click()
    const line = (await page.evaluate('navigator.clipboard.readText()')) as string
    expect(line).toContain(`'${api.url}/v1/reports?`)
    expect(line).not.toContain(world.key.key)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#newest').getByRole('button', { name: 'Export' }).click(),
    ])
    const file = await (await download.createReadStream()).setEncoding('utf8').toArray()
    const { data } = (await api.get(`/v1/reports/count?siteId=${world.siteIds[0]}`, { key: world.key })).body
    expect(file.join('').match(/^"[0-9a-f-]{36}"/gm)).toHaveLength(data.reportCount)
    await page.context().close()
  })
})

test('new reports appear by themselves, and a poll that finds none is a 304', async () => {
  const { page } = await open('/explorer', world.key, { ownClock: true })
  const total = page.locator('#total .big')
  const before = await total.textContent()
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
  await expect.poll(() => afterPoll(() => total.textContent()), forLong).not.toBe(before)
  await page.context().close()
})

test('the site picker has every site of a tenant with more than a page of them', async () => {
  const tenantId = await api.createTenant()
  await Promise.all(Array.from({ length: 201 }, () => api.createSite(tenantId)))
  const { page } = await open('/explorer', await api.createKey(tenantId))
  // One more for all sites.
  expect(await page.locator('select[name=site] option').count()).toBe(202)
  await page.context().close()
})

test('a spent budget is told, and the page waits', async () => {
  const tenantId = await api.createTenant({ overrides: { keyLimit: 4, tenantLimit: 100 } })
  await api.createSite(tenantId)
  const { page } = await open('/explorer', await api.createKey(tenantId))
  await expect
    .poll(() => page.locator('#status').textContent(), forLong)
    .toMatch(/budget of requests .* Asking again at/)
  await page.context().close()
})

test('a key that is none is asked for again, with the API’s words, and kept in the tab alone', async () => {
  const { page } = await open('/explorer')
  await page.getByRole('button', { name: 'Forget the key' }).click()
  await page.getByLabel('Key').fill(`srk_live_${'x'.repeat(40)}`)
  await page.getByRole('button', { name: 'Look' }).click()
  await expect.poll(() => page.getByRole('alert').textContent(), forLong).toContain('API key')
  expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}')
  expect(await page.evaluate("sessionStorage.getItem('security-reporting-key')")).toBeNull()
  await page.context().close()
})
