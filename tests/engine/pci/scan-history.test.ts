import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { fetches, scannedScript } from '../../../fixtures/scanned-scripts.ts'
import { completeScan, failedScan } from '../../../fixtures/scans.ts'
import { dayMs } from '../../../schema/durations.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { startApi, type TestApi } from '../../support/api.ts'

let api: TestApi
let read: (query?: Readonly<Record<string, string>>) => Promise<{ body: { data: PciReport }; text: string }>

/** Noon of that many days before a Monday, which is 50 to 56 days ago. */
const start = Math.floor((Date.now() - 50 * dayMs) / dayMs) * dayMs
const monday = start - ((start / dayMs + 3) % 7) * dayMs
const at = (day: number, minute = 0) => new Date(monday + day * dayMs + dayMs / 2 + minute * 60_000).toISOString()

const urlOf = (name: string) => `https://cdn.test/${name}.js`

beforeAll(async () => {
  api = await startApi()
  const tenantId = await api.createTenant({ plan: 'business' })
  const siteId = await api.createSite(tenantId)
  const key = await api.createKey(tenantId)
  const [first, second] = [randomUUID(), randomUUID()]
  const page = (id: string, position: number) => {
    const url = `https://shop.example.test/${position}`
    return { id, siteId, kind: 'payment', label: `Page ${position}`, pattern: url, scanUrl: url, position }
  }
  await api.importRecords(tenantId, monitoredPages, [page(first, 0), page(second, 1)])
  const scan = (pageId: string, time: string, names: readonly string[], statusCode = 200) =>
    completeScan({
      id: randomUUID(),
      pageId,
      scannedAt: time,
      statusCode,
      grade: 'A',
      scripts: names.map((name) => scannedScript(urlOf(name), fetches.readable)),
    })
  await api.importRecords(tenantId, scans, [
    scan(first, at(0), ['shop']),
    scan(first, at(1), ['shop', 'skimmer']),
    // The page without any script, and its error page.
    scan(first, at(2), []),
    scan(first, at(3), ['shop', 'twice', 'twice']),
    scan(first, at(4), [], 404),
    scan(first, at(5), ['shop', 'twice']),
    scan(first, at(8), ['shop', 'skimmer']),
    scan(second, at(1, 5), ['skimmer']),
    scan(second, at(4), ['twice']),
    scan(second, at(6), ['twice']),
    failedScan({ id: randomUUID(), pageId: second, scannedAt: at(7) }),
    scan(first, at(21), ['shop']),
  ])
  read = (query = {}) => api.get(`/v1/compliance/pci-dss/report?${new URLSearchParams({ siteId, ...query })}`, { key })
})

afterAll(() => api?.close())

test('a version has the intervals of the scans that found it, which a scan without it ends', async () => {
  const { versions } = (await read()).body.data.evidence
  const intervals = Object.fromEntries(
    versions.map(({ url, intervals }) => [url, intervals.map(({ from, to }) => [from, to])]),
  )
  expect(intervals).toEqual({
    [urlOf('shop')]: [
      [at(0), at(1)],
      [at(3), at(21)],
    ],
    [urlOf('skimmer')]: [
      [at(1), at(1)],
      [at(1, 5), at(1, 5)],
      [at(8), at(8)],
    ],
    [urlOf('twice')]: [[at(3), at(6)]],
  })
})

test('a script of two single days is not shown as seen between them', async () => {
  const { text } = await read({ format: 'html' })
  const [day, other] = [at(1), at(8)].map((time) => `<span class="date">${time.slice(0, 10)}</span>`)
  const shown = text.replace(/\s+/g, ' ')
  expect(shown).toContain(`${day}, ${other}`)
  expect(shown).not.toContain(`${day} – ${other}`)
})

test('each week since the first scan has its number of scans and of pages, also without any', async () => {
  const { scanWeeks } = (await read()).body.data.evidence
  const weekOf = (index: number) => at(7 * index).slice(0, 10)
  const none = { pages: 0, complete: 0, failed: 0 }
  expect(scanWeeks.slice(0, 4)).toEqual([
    { week: weekOf(0), pages: 2, complete: 9, failed: 0 },
    { week: weekOf(1), pages: 1, complete: 1, failed: 1 },
    { week: weekOf(2), ...none },
    { week: weekOf(3), pages: 1, complete: 1, failed: 0 },
  ])
  expect(scanWeeks.slice(4).map(({ week }) => week)).toEqual(
    Array.from({ length: scanWeeks.length - 4 }, (_, index) => weekOf(index + 4)),
  )
  expect(Date.parse(scanWeeks.at(-1)?.week ?? '')).toBeGreaterThan(Date.now() - 7 * dayMs)
})
