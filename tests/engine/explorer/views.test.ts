/** @module Each view is loaded once, wide and light; then the same page gets narrow and dark. */

import { randomUUID } from 'node:crypto'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import type { TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import { createWorld, startContractApi, type TestWorld } from '../../support/contract.ts'
import { cells, openExplorer, shownNumber } from '../../support/explorer.ts'

const hostile = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'

/** A name that no line of 390 px holds. */
const long = 'W'.repeat(120)

let api: TestApi
let world: TestWorld
let browser: Browser

beforeAll(async () => {
  api = await startContractApi()
  world = await createWorld(api)
  const { tenantId, siteIds } = world
  const receivedAt = Date.now() - 60_000
  await api.createSite(tenantId, { name: long })
  await api.importRecords(tenantId, monitoredPages, [
    {
      siteId: siteIds[0],
      id: randomUUID(),
      kind: 'other',
      label: long,
      scanUrl: null,
      pattern: `https://shop.example/${long}`,
    },
  ])
  const spoiled = {
    documentUrl: `https://shop.example/${hostile}${long}`,
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

interface Read {
  readonly path: string
  readonly body: { readonly data: unknown }
}

/** The requests that a page's panels made, each made again as curl would. */
async function bodiesOf(page: Page): Promise<Read[]> {
  const targets = (await page.evaluate(
    "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/v1/'))",
  )) as string[]
  // A poll of another minute is the same request with another window.
  const latest = new Map(targets.map((target) => [target.replace(/\b(from|to)=[^&]*/g, ''), target]))
  const own = [...latest.values()].filter((target) => !target.includes('/v1/sites?'))
  return Promise.all(
    own.map(async (target) => {
      const { pathname, search } = new URL(target)
      const { status, body } = await api.get(pathname + search, { key: world.key })
      expect(status).toBe(200)
      return { path: pathname, body }
    }),
  )
}

async function expectSound(page: Page, faults: readonly string[]): Promise<void> {
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  expect(await page.title()).not.toBe('owned')
  expect(await page.locator('main img, main script, main iframe').count()).toBe(0)
  const text = (await page.locator('body').textContent()) ?? ''
  expect(text.match(/\d{4}-\d\d-\d\d \d\d:\d\d(?! UTC)/g)).toBeNull()
  expect(faults).toEqual([])
}

type Numbers = (page: Page, bodies: readonly Read[]) => Promise<void>

const rowsOf = <Row>([read]: readonly Read[]) => (read?.body.data ?? []) as Row[]

const counts =
  (panel: string): Numbers =>
  async (page, bodies) => {
    const expected = rowsOf<{ reportCount: number }>(bodies).map(({ reportCount }) => shownNumber(reportCount))
    expect(expected.length).toBeGreaterThan(0)
    expect(await cells(page, panel, 'Reports')).toEqual(expected)
  }

const names =
  (panel: string, label: string, field: string): Numbers =>
  async (page, bodies) => {
    const expected = rowsOf<Record<string, string>>(bodies).map((one) => one[field])
    expect(expected.length).toBeGreaterThan(0)
    expect(await cells(page, panel, label)).toEqual(expected)
  }

const reportNumbers: Numbers = async (page, bodies) => {
  const of = (path: string) => bodies.filter((one) => one.path === path).map(({ body }) => body.data)
  const [count] = of('/v1/reports/count') as { reportCount: number }[]
  expect(await page.locator('#total .big').textContent()).toBe(shownNumber(count?.reportCount ?? -1))
  const rankings = of('/v1/reports/grouped') as { reportCount: number; values: string[] }[][]
  const shown = await Promise.all(['ranking-1', 'ranking-2'].map((panel) => cells(page, panel, 'Reports')))
  const largest = rankings.map((groups) => groups.slice(0, 10).map((one) => shownNumber(one.reportCount)))
  expect(shown.sort()).toEqual(largest.sort())
  const [histogram] = of('/v1/reports/histogram') as { buckets: { reportCount: number }[] }[]
  const sum = histogram?.buckets.reduce((before, { reportCount }) => before + reportCount, 0) ?? -1
  expect(await page.locator('#histogram [role=img]').getAttribute('aria-label')).toContain(
    `${shownNumber(sum)} reports`,
  )
  const [newest] = of('/v1/reports') as { documentUrl: string }[][]
  expect(await cells(page, 'newest', 'Page')).toEqual(newest?.map(({ documentUrl }) => documentUrl || '–'))
}

interface PciTimes {
  readonly generatedAt: string
  readonly evidence: { readonly window: { readonly from: string } }
}

/** On paper too, without controls. */
const pciTexts: Numbers = async (page, [read]) => {
  const text = words((await page.locator('#pci').textContent()) ?? '')
  const body = read?.body.data as PciTimes
  const { generatedAt: _, evidence, ...data } = body
  const { window, ...others } = evidence
  // Both end when they were read.
  expect(text).toMatch(/Scripts read to\d{4}-\d\d-\d\d \d\d:\d\d UTC/)
  for (const value of leaves([data, others, window.from])) expect(text).toContain(value)
  await page.emulateMedia({ media: 'print' })
  expect(await page.locator('#pci').isVisible()).toBe(true)
  for (const control of ['header', 'nav', 'footer', '#pci .tools']) {
    expect(await page.locator(control).first().isVisible()).toBe(false)
  }
  await page.emulateMedia({ media: null })
}

/** Texts and numbers of a body as the page writes them. */
function leaves(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves)
  if (typeof value === 'number') return [shownNumber(value)]
  if (typeof value !== 'string') return []
  return [/^\d{4}-\d\d-\d\dT/.test(value) ? value.slice(0, 16).replace('T', ' ') : words(value)]
}

const words = (text: string) => text.replaceAll('_', ' ')

const views: readonly (readonly [string, Numbers])[] = [
  ['reports', reportNumbers],
  ['issues', counts('issues')],
  ['network', counts('network-errors')],
  ['crashes', counts('crashes')],
  ['changes', counts('browser-changes')],
  ['policies', counts('policies')],
  ['scripts', names('scripts', 'Script', 'url')],
  ['pages', names('pages', 'Page', 'label')],
  ['pci', pciTexts],
]

describe.each(views)('the view %s', (view, expectNumbers) => {
  let page: Page
  let faults: readonly string[]
  beforeAll(async () => {
    ;({ page, faults } = await openExplorer(browser, api, world.key, `/explorer?view=${view}&site=${world.siteIds[0]}`))
    await page.evaluate(axe.source)
  })
  afterAll(() => page?.context().close())

  test('has the numbers and texts of the same requests by curl', async () => {
    await expectNumbers(page, await bodiesOf(page))
  })

  test('breaks no policy, raises no error, runs no text, fits, has UTC at every time and nothing that axe finds', async () => {
    await expectSound(page, faults)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 390, height: 900 })
    await expectSound(page, faults)
  })
})
