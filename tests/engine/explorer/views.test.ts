/** @module Each view is loaded once, light; then the same page gets dark, and every width. */

import { randomUUID } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import type { TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import { createWorld, startContractApi, type TestWorld } from '../../support/contract.ts'
import { cells, expectFits, expectSound, figures, forLong, openExplorer, shownNumber } from '../../support/explorer.ts'

const hostile = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>\u202egpj.exe'

/** A name that no line of 390 px holds. */
const long = 'W'.repeat(120)

let api: TestApi
let world: TestWorld
let browser: Browser
/** Of the hostile reports. */
let issueId: string

beforeAll(async () => {
  api = await startContractApi()
  world = await createWorld(api)
  const { tenantId, siteIds, key } = world
  const receivedAt = Date.now() - 60_000
  await api.createSite(tenantId, { name: long })
  const page = { siteId: siteIds[0], id: randomUUID(), kind: 'other', label: long, scanUrl: null }
  await api.importRecords(tenantId, monitoredPages, [{ ...page, pattern: `https://shop.example/${long}` }])
  const spoiled = {
    documentUrl: `https://shop.example/${hostile}${long}`,
    blockedHost: hostile,
    issueHost: hostile,
    sample: hostile,
    message: hostile,
    policy: `script-src ${hostile}`,
  }
  const random = seeded(2)
  await api.insertReports(
    Array.from({ length: 30 }, () =>
      aReport({ tenantId, siteId: siteIds[0], receivedAt, id: uuidV7(receivedAt, random), ...spoiled }),
    ),
  )
  const { body } = await api.get('/v1/issues?subject=script-src-elem&targetHost.contains=owned', { key })
  issueId = body.data[0].id
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await api?.close()
})

type Row = Readonly<Record<string, unknown>> & { readonly reportCount: number }

/** Body of a panel's request, made again as curl would. */
async function bodyOf(page: Page, panel: string) {
  const target = (await page.locator(`#${panel}`).getAttribute('data-target')) ?? ''
  const { status, body } = await api.get(target, { key: world.key })
  expect([target, status]).toEqual([target, 200])
  return body
}

type Numbers = (page: Page) => Promise<void>

const counts = (rows: readonly Row[]) => rows.map(({ reportCount }) => shownNumber(reportCount))

const textOf = (page: Page, panel: string) => page.locator(`#${panel}`).textContent()

/** Of a ranking, in its order. */
const ranks =
  (panel: string): Numbers =>
  async (page) => {
    const { data, groupCount } = await bodyOf(page, panel)
    expect(data.length).toBeGreaterThan(0)
    expect(await figures(page, panel)).toEqual(counts(data))
    if (groupCount) expect(await textOf(page, panel)).toContain(`${data.length} of ${shownNumber(groupCount)}`)
  }

/** Of a table, by its column of reports. */
const rows =
  (panel: string): Numbers =>
  async (page) => {
    const { data } = await bodyOf(page, panel)
    expect(data.length).toBeGreaterThan(0)
    expect(await cells(page, panel, 'Reports')).toEqual(counts(data))
  }

const histogram: Numbers = async (page) => {
  const { data } = await bodyOf(page, 'histogram')
  const sum = (field: string) => data.buckets.reduce((before: number, bucket: Row) => before + Number(bucket[field]), 0)
  const text = await textOf(page, 'histogram')
  expect(text).toContain(`${shownNumber(sum('reportCount'))} reports`)
  const estimate = sum('estimatedReportCount')
  if (estimate > sum('reportCount')) expect(text).toContain(`about ${shownNumber(estimate)} estimated`)
  const legend = await page.locator('#histogram .legend .only').allTextContents()
  expect(legend).toHaveLength(data.series.filter(({ value }: { value: string | null }) => value !== null).length)
}

const overview: Numbers = async (page) => {
  await histogram(page)
  await ranks('ranking-1')(page)
  await ranks('ranking-2')(page)
  const types = (await bodyOf(page, 'types')).data as { reportCounts: number[] }[]
  const sums = types.map(({ reportCounts }) => shownNumber(reportCounts.reduce((sum, count) => sum + count, 0)))
  const { data, issueCount } = await bodyOf(page, 'new-issues')
  expect(await page.locator('#types .big').allTextContents()).toEqual([...sums, shownNumber(issueCount)])
  expect(await textOf(page, 'new-issues')).toContain(`${data.length} of ${shownNumber(issueCount)}`)
  const [noise] = (await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('noise=only'))`,
  )) as string[]
  const { pathname, search } = new URL(noise ?? '')
  const { body } = await api.get(pathname + search, { key: world.key })
  expect(await page.locator('[data-key=noise]').textContent()).toBe(`Noise hidden · ${body.data.reportCount}`)
}

const reports: Numbers = async (page) => {
  await histogram(page)
  await ranks('ranking')(page)
  const { data } = await bodyOf(page, 'newest')
  const target = (await page.locator('#newest').getAttribute('data-target')) ?? ''
  const counted = await api.get(target.replace('/v1/reports?', '/v1/reports/count?').replace(/&limit=\d+/, ''), {
    key: world.key,
  })
  expect(await page.locator('#newest .count').textContent()).toBe(
    `${data.length} of ${shownNumber(counted.body.data.reportCount)}`,
  )
}

const issues: Numbers = async (page) => {
  await rows('issues')(page)
  const { data, issueCount } = await bodyOf(page, 'issues')
  expect(await textOf(page, 'issues')).toContain(`${data.length} of ${shownNumber(issueCount)}`)
  const pages = data.map(({ affectedPages }: { affectedPages: number }) => shownNumber(affectedPages))
  expect(await cells(page, 'issues', 'Pages')).toEqual(pages)
}

const issue: Numbers = async (page) => {
  await histogram(page)
  const estimates = (await bodyOf(page, 'pages')).data.map((row: Row) => shownNumber(Number(row.estimatedReportCount)))
  expect(await figures(page, 'pages')).toEqual(estimates)
  const { data } = await bodyOf(page, 'reports')
  expect(await page.locator('#reports tbody tr').count()).toBe(data.length)
  await expect.poll(() => textOf(page, 'facts'), forLong).toContain('Reports in window30')
  expect(await page.locator('h1 .escape').first().textContent()).toBe('\\u202e')
}

const alerts: Numbers = async (page) => {
  const { data } = await bodyOf(page, 'alerts')
  expect(data.length).toBeGreaterThan(0)
  const outcomes = data.map(({ outcome }: { outcome: string }) => outcome)
  expect(await cells(page, 'alerts', 'Outcome')).toEqual(outcomes)
}

const views: readonly (readonly [string, string, Numbers])[] = [
  ['overview', '', overview],
  ['reports', '', reports],
  ['reports', '&reportType=network-error', rows('groups')],
  ['reports', '&reportType=crash', rows('groups')],
  ['reports', '&reportType=deprecation', rows('groups')],
  ['issues', '', issues],
  ['alerts', '', alerts],
  ['issue', '&reportType=csp-violation&issueId=', issue],
]

describe.each(views)('the view %s%s', (view, query, expectNumbers) => {
  let page: Page
  let faults: readonly string[]
  beforeAll(async () => {
    const path = `/explorer?view=${view}&siteId=${world.siteIds[0]}&noise=exclude${query}${query.endsWith('=') ? issueId : ''}`
    ;({ page, faults } = await openExplorer(browser, api, world.key, path))
  })
  afterAll(() => page?.close())

  test('has the numbers of the same requests by curl', async () => {
    await expectNumbers(page)
  })

  test('breaks no policy, raises no error, runs no text, fits, and has nothing that axe finds, light and dark', async () => {
    await expectSound(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectFits(page)
    await page.setViewportSize({ width: 390, height: 900 })
    await expectSound(page)
    expect(faults).toEqual([])
  })
})
