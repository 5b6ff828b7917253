import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import { forLong, openExplorer, settled } from '../../support/explorer.ts'
import type { TestKey } from '../../support/tenants.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

let api: TestApi
let key: TestKey
let browser: Browser
const newest = Date.now()
/** Start of an hour with one report in each of its first and last minutes. */
const busyHour = Math.floor(newest / hourMs) * hourMs - 2 * hourMs
const clockChange = lastClockChange('America/New_York')

beforeAll(async () => {
  api = await startApi()
  const tenantId = await api.createTenant({ plan: 'enterprise' })
  const siteId = await api.createSite(tenantId)
  key = await api.createKey(tenantId)
  const random = seeded(3)
  const times = [busyHour + 1_000, busyHour + hourMs - 1_000, newest, newest]
  await api.insertReports(
    times.map((receivedAt) => aReport({ tenantId, siteId, receivedAt, id: uuidV7(receivedAt, random) })),
  )
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await api?.close()
})

/** Texts that a canvas draws, and their places. */
const recordTexts = `
  const draw = CanvasRenderingContext2D.prototype.fillText
  window.drawn = new Map()
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    window.drawn.set(text + ' ' + Math.round(x), { text, x, y })
    return draw.apply(this, arguments)
  }`

const iso = (time: number) => new Date(time).toISOString()

async function openWindow(from: number, to: number, query = '', options = {}): Promise<Page> {
  const path = `/explorer?from=${iso(from)}&to=${iso(to)}&noise=include${query}`
  const { page } = await openExplorer(browser, api, key, path, { initScript: recordTexts, ...options })
  await page.locator('#histogram canvas').waitFor()
  return page
}

/** Columns of the chart that have the colour of a series, as shares of its width. */
async function colouredColumns(page: Page): Promise<number[]> {
  return (await page.evaluate(`(() => {
    const canvas = document.querySelector('#histogram canvas')
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = document.querySelector('#histogram .u-over')
    const { data } = canvas.getContext('2d').getImageData(offsetLeft, offsetTop, offsetWidth, offsetHeight)
    const isBar = (at) => data[at] === 0x24 && data[at + 1] === 0x57 && data[at + 2] === 0xd6
    const columns = new Set()
    for (let at = 0; at < data.length; at += 4) if (isBar(at)) columns.add((at / 4) % offsetWidth)
    return [...columns].map((column) => (column + 0.5) / offsetWidth).sort((a, b) => a - b)
  })()`)) as number[]
}

interface Drawn {
  readonly text: string
  readonly x: number
}

/** Ticks of the time axis, in their order, and counts of the other. */
async function texts(page: Page): Promise<{ ticks: Drawn[]; counts: string[] }> {
  const drawn = (await page.evaluate('[...window.drawn.values()]')) as Drawn[]
  const isTick = ({ text }: Drawn) => /^\d\d:\d\d$|^[A-Z][a-z]{2} \d+$/.test(text)
  const ticks = drawn.filter(isTick).sort((a, b) => a.x - b.x)
  return { ticks, counts: drawn.filter((one) => one.text !== '' && !isTick(one)).map(({ text }) => text) }
}

async function drag(page: Page, fromShare: number, toShare: number): Promise<void> {
  const { x = 0, y = 0, width = 0 } = (await page.locator('#histogram .u-over').boundingBox()) ?? {}
  await page.mouse.move(x + width * fromShare, y + 50)
  await page.mouse.down()
  await page.mouse.move(x + width * toShare, y + 50, { steps: 5 })
  await page.mouse.up()
  await settled(page)
}

function windowIn(page: Page): { from: number; to: number } {
  const { searchParams } = new URL(page.url())
  return { from: Date.parse(searchParams.get('from') ?? ''), to: Date.parse(searchParams.get('to') ?? '') }
}

const clock = (time: number) => iso(time).slice(11, 16)

describe('the chart', () => {
  test('draws the newest bucket, whole and where it is, without points', async () => {
    const to = Math.floor(newest / minuteMs) * minuteMs + minuteMs
    const page = await openWindow(to - 31 * 24 * hourMs, to, '&groupBy=directive')
    const columns = await colouredColumns(page)
    const summary = await page.locator('#histogram [role=img]').getAttribute('aria-label')
    const buckets = Number(/in (\d+) buckets/.exec(summary ?? '')?.[1])
    expect(columns.length).toBeGreaterThan(0)
    expect(columns.at(-1)).toBeGreaterThan((buckets - 1) / buckets)
    // Reports of two hours ago can be in the bucket of the day before.
    expect(columns[0]).toBeGreaterThan((buckets - 2) / buckets - 0.005)
    // Its mark in the legend hides the series, and shows it again.
    const mark = page.locator('#histogram .mark').first()
    await mark.click()
    await expect.poll(() => colouredColumns(page), forLong).toEqual([])
    await mark.click()
    await expect.poll(() => colouredColumns(page), forLong).toEqual(columns)
    await page.close()
  })

  test('draws the last bucket pale while it is not over', async () => {
    const { page } = await openExplorer(browser, api, key, '/explorer?last=24h&noise=include&groupBy=none')
    await page.locator('#histogram canvas').waitFor()
    const columns = await colouredColumns(page)
    expect(columns.length).toBeGreaterThan(0)
    const [bucket] =
      /\d+ buckets/.exec((await page.locator('#histogram [role=img]').getAttribute('aria-label')) ?? '') ?? []
    expect(columns.filter((share) => share > 1 - 1 / Number.parseInt(bucket ?? '', 10))).toEqual([])
    expect(await page.locator('#histogram').textContent()).toContain('last bucket not complete yet')
    await page.close()
  })

  test('draws the first and the last bucket of a window, narrows to whole buckets within it, and a double click goes back', async () => {
    const page = await openWindow(busyHour, busyHour + hourMs)
    const columns = await colouredColumns(page)
    expect(columns.filter((share) => share < 1 / 60).length).toBeGreaterThan(0)
    expect(columns.filter((share) => share > 59 / 60).length).toBeGreaterThan(0)
    expect(columns.filter((share) => share > 1.5 / 60 && share < 58.5 / 60)).toEqual([])
    const { ticks, counts } = await texts(page)
    expect(ticks.length).toBeGreaterThan(2)
    const within = Array.from({ length: 61 }, (_, minute) => clock(busyHour + minute * minuteMs))
    const midnight = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', timeZone: 'UTC' })
    const days = [busyHour, busyHour + hourMs].map((time) => midnight.format(time).replace(',', ''))
    expect(ticks.filter(({ text }) => ![...within, ...days].includes(text))).toEqual([])
    expect(counts.filter((text) => !/^[\d,]+$/.test(text))).toEqual([])
    await drag(page, 54.5 / 60, 1.2)
    expect(windowIn(page)).toEqual({ from: busyHour + 54 * minuteMs, to: busyHour + hourMs })
    await page.locator('#histogram .u-over').dblclick({ position: { x: 20, y: 20 } })
    await expect.poll(() => windowIn(page)).toEqual({ from: busyHour, to: busyHour + hourMs })
    await page.close()
  })

  test('spans one bucket over itself, and a drag never leaves the window', async () => {
    const from = busyHour
    const to = busyHour + 50_000
    const page = await openWindow(from, to)
    const columns = await colouredColumns(page)
    expect(columns.at(-1)).toBeGreaterThan(0.5)
    const { ticks, counts } = await texts(page)
    expect(ticks).toHaveLength(1)
    expect(counts.filter((text) => !/^[\d,]+$/.test(text))).toEqual([])
    await drag(page, 0.5, 0.8)
    expect(windowIn(page)).toEqual({ from, to })
    await page.close()
  })

  test('has even ticks in UTC across a change of the browser’s clock, and whole hours and the change in the zone', async () => {
    const options = { timezoneId: 'America/New_York' }
    const page = await openWindow(clockChange - 6 * hourMs, clockChange + 6 * hourMs, '', options)
    const { ticks } = await texts(page)
    const steps = ticks.slice(1).map(({ x }, index) => Math.round(x - (ticks[index]?.x ?? 0)))
    expect(ticks.length).toBeGreaterThan(3)
    expect(Math.max(...steps) - Math.min(...steps)).toBeLessThanOrEqual(1)
    await page.evaluate('window.drawn.clear()')
    await page.getByRole('button', { name: 'Time zone: UTC' }).click()
    await page.getByRole('button', { name: 'America/New_York (yours)' }).click()
    await settled(page)
    await expect.poll(() => page.locator('#histogram .note').textContent()).toContain('America/New_York')
    const { ticks: local, counts } = await texts(page)
    expect(counts.filter((text) => /^\d\d:00 \([+−]1 h\)$/.test(text))).toHaveLength(1)
    const hours = local.map(({ text }) => text)
    expect(hours.filter((text) => !/^\d\d:00$|^[A-Z]/.test(text))).toEqual([])
    expect(new URL(page.url()).searchParams.get('timeZone')).toBe('America/New_York')
    await page.close()
  })
})

/** Hour at which a zone last changed its clock, in milliseconds since the Unix epoch. */
function lastClockChange(timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const offsetAt = (time: number) => format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value
  const now = Math.floor(Date.now() / hourMs) * hourMs
  // A day after the change, so that hours on both sides are past.
  for (let hour = now - 24 * hourMs; hour > now - 365 * 24 * hourMs; hour -= hourMs) {
    if (offsetAt(hour) !== offsetAt(hour - hourMs)) return hour
  }
  throw new Error(`${timeZone} changes no clock`)
}
