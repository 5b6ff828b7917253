import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { launchChromium } from '../../support/chromium.ts'
import { openExplorer, settled } from '../../support/explorer.ts'
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

/** Texts that a canvas draws. */
const recordTexts = `
  const draw = CanvasRenderingContext2D.prototype.fillText
  window.drawn = []
  CanvasRenderingContext2D.prototype.fillText = function (text) {
    window.drawn.push(text)
    return draw.apply(this, arguments)
  }`

const iso = (time: number) => new Date(time).toISOString()

async function openWindow(from: number, to: number, options = {}): Promise<Page> {
  const path = `/explorer?from=${iso(from)}&to=${iso(to)}`
  const { page } = await openExplorer(browser, api, key, path, { initScript: recordTexts, ...options })
  await page.locator('#histogram canvas').waitFor()
  return page
}

/** Columns of the chart that have the bars' colour, as shares of its width. */
async function colouredColumns(page: Page): Promise<number[]> {
  return (await page.evaluate(`(() => {
    const canvas = document.querySelector('#histogram canvas')
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = document.querySelector('#histogram .u-over')
    const { data } = canvas.getContext('2d').getImageData(offsetLeft, offsetTop, offsetWidth, offsetHeight)
    const isBar = (at) => data[at] === 0x0b && data[at + 1] === 0x62 && data[at + 2] === 0xc4
    const columns = new Set()
    for (let at = 0; at < data.length; at += 4) if (isBar(at)) columns.add((at / 4) % offsetWidth)
    return [...columns].map((column) => (column + 0.5) / offsetWidth).sort((a, b) => a - b)
  })()`)) as number[]
}

async function texts(page: Page): Promise<{ ticks: number[]; counts: string[] }> {
  const drawn = (await page.evaluate('[...new Set(window.drawn)]')) as string[]
  const year = new URL(page.url()).searchParams.get('from')?.slice(0, 4)
  const isTick = (text: string) => /^\d\d-\d\d/.test(text)
  const ticks = drawn
    .filter(isTick)
    .map((text) => Date.parse(`${year}-${text.slice(0, 5)}T${text.slice(6) || '00:00'}Z`))
  return {
    ticks: ticks.sort((a, b) => a - b),
    counts: drawn.filter((text) => text !== '' && text !== 'UTC' && !isTick(text)),
  }
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

describe('the chart', () => {
  test('draws the newest bucket, whole and where it is, without points', async () => {
    const to = Math.floor(newest / minuteMs) * minuteMs + minuteMs
    const page = await openWindow(to - 31 * 24 * hourMs, to)
    const columns = await colouredColumns(page)
    const summary = await page.locator('#histogram [role=img]').getAttribute('aria-label')
    const buckets = Number(/in (\d+) buckets/.exec(summary ?? '')?.[1])
    expect(columns.length).toBeGreaterThan(0)
    expect(columns.at(-1)).toBeGreaterThan((buckets - 1) / buckets)
    // Reports of two hours ago can be in the bucket of the day before.
    expect(columns[0]).toBeGreaterThan((buckets - 2) / buckets - 0.005)
    await page.context().close()
  })

  test('draws the first and the last bucket of a window, and narrows to whole buckets within it', async () => {
    const page = await openWindow(busyHour, busyHour + hourMs)
    const columns = await colouredColumns(page)
    expect(columns.filter((share) => share < 1 / 60).length).toBeGreaterThan(0)
    expect(columns.filter((share) => share > 59 / 60).length).toBeGreaterThan(0)
    expect(columns.filter((share) => share > 1.5 / 60 && share < 58.5 / 60)).toEqual([])
    const { ticks, counts } = await texts(page)
    expect(ticks.length).toBeGreaterThan(2)
    expect(ticks.filter((tick) => tick < busyHour || tick > busyHour + hourMs)).toEqual([])
    expect(counts.filter((text) => !/^[\d,]+$/.test(text))).toEqual([])
    await drag(page, 54.5 / 60, 1.2)
    const narrow = windowIn(page)
    expect(narrow.from).toBe(busyHour + 54 * minuteMs)
    expect(narrow.to).toBe(busyHour + hourMs)
    await page.context().close()
  })

  test('spans one bucket over itself, and a drag never leaves the window', async () => {
    const from = busyHour
    const to = busyHour + 50_000
    const page = await openWindow(from, to)
    const columns = await colouredColumns(page)
    expect(columns.at(-1)).toBeGreaterThan(0.5)
    const { ticks, counts } = await texts(page)
    expect(ticks).toEqual([busyHour])
    expect(counts.filter((text) => !/^[\d,]+$/.test(text))).toEqual([])
    await drag(page, 0.5, 0.8)
    expect(windowIn(page)).toEqual({ from, to })
    await page.context().close()
  })

  test('has even ticks across a change of the browser’s clock', async () => {
    const page = await openWindow(clockChange - 6 * hourMs, clockChange + 6 * hourMs, {
      timezoneId: 'America/New_York',
    })
    const { ticks } = await texts(page)
    const steps = ticks.slice(1).map((tick, index) => tick - (ticks[index] ?? 0))
    expect(ticks.length).toBeGreaterThan(3)
    expect(new Set(steps).size).toBe(1)
    await page.context().close()
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
