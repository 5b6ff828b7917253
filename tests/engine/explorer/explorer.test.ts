import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import type { TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import { createWorld, startContractApi, type TestWorld } from '../../support/contract.ts'
import type { TestKey } from '../../support/tenants.ts'

const hostile = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'

let api: TestApi
let world: TestWorld
let browser: Browser

beforeAll(async () => {
  api = await startContractApi()
  world = await createWorld(api)
  const { tenantId, siteIds } = world
  const receivedAt = Date.now() - 60_000
  const spoiled = {
    documentUrl: `https://shop.example/${hostile}`,
    blockedHost: hostile,
    sample: hostile,
    message: hostile,
  }
  const random = seeded(2)
  await api.insertReports(
    Array.from({ length: 30 }, () =>
      aReport({ tenantId, siteId: siteIds[0], receivedAt, id: uuidV7(receivedAt, random), ...spoiled }),
    ),
  )
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await api?.close()
})

interface Opened {
  readonly page: Page
  /** What a page must not do. */
  readonly faults: string[]
}

async function open(
  path: string,
  key: TestKey = world.key,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (4|5)\d\d/.test(message.text())) faults.push(message.text())
  })
  await page.addInitScript(`sessionStorage.setItem('security-reporting-key', '${key.key}')`)
  await page.goto(`${api.url}${path}`)
  await settled(page)
  return { page, faults }
}

async function settled(page: Page): Promise<void> {
  await page.locator('section .content').first().waitFor()
  await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0)
}

const views = ['reports', 'issues', 'network', 'crashes', 'changes', 'policies', 'scripts', 'pages', 'pci']

/** The requests that a page's panels made, each asked again as curl would. */
async function bodiesOf(page: Page): Promise<{ path: string; body: { data: unknown } }[]> {
  const targets = (await page.evaluate(
    "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/v1/'))",
  )) as string[]
  const own = [...new Set(targets)].filter((target) => !target.includes('/v1/sites?'))
  return Promise.all(
    own.map(async (target) => {
      const { pathname, search } = new URL(target)
      const { status, body } = await api.get(pathname + search, { key: world.key })
      expect(status).toBe(200)
      return { path: pathname, body }
    }),
  )
}

const shownNumber = (value: number) => new Intl.NumberFormat('en').format(value)

/** Cells of a column, in a panel. */
const cells = (page: Page, panel: string, label: string) =>
  page.locator(`#${panel} td[data-label="${label}"]`).allTextContents()

describe.each(views)('the view %s', (view) => {
  test('breaks no policy, raises no error, runs no text and has nothing that axe finds', async () => {
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 390],
    ] as const) {
      const { page, faults } = await open(`/explorer?view=${view}&site=${world.siteIds[0]}`, world.key, {
        colorScheme,
        viewport: { width, height: 900 },
      })
      await page.evaluate(axe.source)
      const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(await page.title()).not.toBe('owned')
      expect(await page.locator('main img, main script, main iframe').count()).toBe(0)
      expect(faults).toEqual([])
      await page.context().close()
    }
  })
})

describe('numbers are those of the same request by curl', () => {
  test('reports', async () => {
    const { page } = await open(`/explorer?site=${world.siteIds[0]}`)
    const bodies = await bodiesOf(page)
    const of = (path: string) => bodies.filter((one) => one.path === path).map(({ body }) => body.data)
    const [count] = of('/v1/reports/count') as { reportCount: number }[]
    expect(await page.locator('#total .big').textContent()).toBe(shownNumber(count?.reportCount ?? -1))
    const rankings = of('/v1/reports/grouped') as { reportCount: number; values: string[] }[][]
    const shown = await Promise.all(['ranking-1', 'ranking-2'].map((panel) => cells(page, panel, 'Reports')))
    expect(shown.sort()).toEqual(rankings.map((groups) => groups.map((one) => shownNumber(one.reportCount))).sort())
    const [histogram] = of('/v1/reports/histogram') as { buckets: { reportCount: number }[] }[]
    const sum = histogram?.buckets.reduce((before, { reportCount }) => before + reportCount, 0) ?? -1
    expect(await page.locator('#histogram [role=img]').getAttribute('aria-label')).toContain(
      `${shownNumber(sum)} reports`,
    )
    const [newest] = of('/v1/reports') as { documentUrl: string }[][]
    expect(await cells(page, 'newest', 'Page')).toEqual(newest?.map(({ documentUrl }) => documentUrl || '–'))
    await page.context().close()
  })

  test.each([
    ['issues', 'issues'],
    ['network', 'network-errors'],
    ['crashes', 'crashes'],
    ['changes', 'browser-changes'],
    ['policies', 'policies'],
  ])('%s', async (view, panel) => {
    const { page } = await open(`/explorer?view=${view}&site=${world.siteIds[0]}`)
    const [{ body } = { body: { data: [] } }] = await bodiesOf(page)
    const counts = (body.data as { reportCount: number }[]).map(({ reportCount }) => shownNumber(reportCount))
    expect(counts.length).toBeGreaterThan(0)
    expect(await cells(page, panel, 'Reports')).toEqual(counts)
    await page.context().close()
  })

  test.each([
    ['scripts', 'Script', 'url'],
    ['pages', 'Page', 'label'],
  ])('%s', async (view, label, field) => {
    const { page } = await open(`/explorer?view=${view}&site=${world.siteIds[0]}`)
    const [{ body } = { body: { data: [] } }] = await bodiesOf(page)
    const names = (body.data as Record<string, string>[]).map((one) => one[field])
    expect(names.length).toBeGreaterThan(0)
    expect(await cells(page, view, label)).toEqual(names)
    await page.context().close()
  })

  test('pci says everything that the API says', async () => {
    const { page } = await open(`/explorer?view=pci&site=${world.siteIds[0]}`)
    const [{ body } = { body: { data: {} } }] = await bodiesOf(page)
    const text = words((await page.locator('#pci').textContent()) ?? '')
    const { generatedAt: _, ...data } = body.data as { generatedAt: string }
    for (const value of leaves(data)) expect(text).toContain(value)
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('#pci').isVisible()).toBe(true)
    for (const control of ['header', 'nav', 'footer', '#pci .tools']) {
      expect(await page.locator(control).first().isVisible()).toBe(false)
    }
    await page.context().close()
  })
})

/** Texts and numbers of a body as the page writes them. */
function leaves(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves)
  if (typeof value === 'number') return [shownNumber(value)]
  if (typeof value !== 'string') return []
  return [/^\d{4}-\d\d-\d\dT/.test(value) ? value.slice(0, 16).replace('T', ' ') : words(value)]
}

const words = (text: string) => text.replaceAll('_', ' ')

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

  test('is worked by keyboard alone: a report opens in a drawer with all its fields, and Escape goes back', async () => {
    const { page } = await open('/explorer')
    const button = page.locator('#newest td .value').first()
    await button.focus()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog')
    const names = await drawer.locator('dt').allTextContents()
    expect(names).toEqual(expect.arrayContaining(['id', 'documentUrl', 'policy', 'stack']))
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('dialog').count()).toBe(0)
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
  const { page } = await open('/explorer')
  const before = await page.locator('#total .big').textContent()
  const unchanged = page.waitForResponse((response) => response.status() === 304, { timeout: 25_000 })
  await unchanged
  const { tenantId, siteIds } = world
  const receivedAt = Date.now() - 5_000
  await api.insertReports([aReport({ tenantId, siteId: siteIds[1], receivedAt, id: uuidV7(receivedAt, seeded(9)) })])
  await expect.poll(() => page.locator('#total .big').textContent(), { timeout: 25_000 }).not.toBe(before)
  await page.context().close()
}, 60_000)

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
  await expect.poll(() => page.locator('#status').textContent()).toMatch(/budget of requests .* Asking again at/)
  await page.context().close()
})

test('a key that is none is asked for again, with the API’s words, and kept in the tab alone', async () => {
  const { page } = await open('/explorer')
  await page.getByRole('button', { name: 'Forget the key' }).click()
  await page.getByLabel('Key').fill(`srk_live_${'x'.repeat(40)}`)
  await page.getByRole('button', { name: 'Look' }).click()
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('API key')
  expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}')
  expect(await page.evaluate("sessionStorage.getItem('security-reporting-key')")).toBeNull()
  await page.context().close()
})
