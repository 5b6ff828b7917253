import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { randomPages } from '../../../fixtures/random-records.ts'
import type { PageRecord } from '../../../schema/responses/monitored-page.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { numberOfCases } from '../../support/number-of-cases.ts'
import { readPages } from '../../support/read-pages.ts'
import type { TestKey } from '../../support/tenants.ts'

const seed = Date.now()

let api: TestApi
let key: TestKey
let siteIds: string[]
let pages: PageRecord[]

beforeAll(async () => {
  api = await startApi()
  const tenantId = await api.createTenant()
  siteIds = await Promise.all([1, 2, 3].map(() => api.createSite(tenantId)))
  key = await api.createKey(tenantId)
  pages = randomPages({ seed, count: 90, siteIds: siteIds.slice(0, 2) })
  for (let at = 0; at < pages.length; at += 40) {
    await api.importRecords(tenantId, monitoredPages, pages.slice(at, at + 40))
  }
  // A stranger has the same pages under other labels, sites included.
  const strange = pages.map((page) => ({ ...page, label: 'Another’s' }))
  await api.importRecords(await api.createTenant(), { ...monitoredPages, foreignKeys: {} }, strange)
})

afterAll(() => api?.close())

/** The site's pages by position and then id, as text. */
function expected(siteId: string) {
  return pages
    .filter((page) => page.siteId === siteId)
    .sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1))
    .map(({ id, kind, label, pattern, scanUrl, position }) => {
      return { id, siteId, kind, label, pattern, scanUrl, position, latestScan: null }
    })
}

test('a site’s pages are listed in its order, whatever the size of the pages', async () => {
  const requested = fc.record({ siteId: fc.constantFrom(...siteIds), limit: fc.integer({ min: 8, max: 200 }) })
  await fc.assert(
    fc.asyncProperty(requested, async ({ siteId, limit }) => {
      const { data, rest } = await readPages(api, key, `/v1/sites/${siteId}/pages`, { limit })
      expect(data).toEqual(expected(siteId))
      expect(rest).toEqual({ truncated: false })
    }),
    { numRuns: numberOfCases(12), seed, endOnFailure: true },
  )
})

test('pages that name no place are listed in the order of their lines', async () => {
  const tenantId = await api.createTenant()
  const siteId = await api.createSite(tenantId)
  const named = randomPages({ seed, count: 30, siteIds: [siteId] }).map(({ position: _, ...page }) => page)
  await api.importRecords(tenantId, monitoredPages, named)
  const { data } = await readPages(api, await api.createKey(tenantId), `/v1/sites/${siteId}/pages`, { limit: 7 })
  expect(data.map(({ id }) => id)).toEqual(named.map(({ id }) => id))
})

test('a page that is imported again is the later one', async () => {
  const tenantId = await api.createTenant()
  const siteId = await api.createSite(tenantId)
  const [page] = randomPages({ seed, count: 1, siteIds: [siteId] })
  const later = { ...page, label: 'Renamed', kind: 'other', scanUrl: null, position: 7 }
  await api.importRecords(tenantId, monitoredPages, [page ?? {}])
  await api.importRecords(tenantId, monitoredPages, [later])
  const { data } = await readPages(api, await api.createKey(tenantId), `/v1/sites/${siteId}/pages`, {})
  expect(data).toEqual([{ ...later, latestScan: null }])
})

test.each([{ position: -1 }, { position: 2 ** 32 }, { position: '1' }, { id: 'x' }, { id: randomUUID(), more: 1 }])(
  'a cursor at %j is refused',
  async (change) => {
    const path = `/v1/sites/${siteIds[0]}/pages`
    const { body } = await api.get(`${path}?limit=1`, { key })
    const [version, fingerprint, window, depth, at] = JSON.parse(Buffer.from(body.nextCursor, 'base64url').toString())
    const tampered = JSON.stringify([version, fingerprint, window, depth, { ...at, ...change }])
    const cursor = Buffer.from(tampered).toString('base64url')
    expect(await api.get(`${path}?cursor=${cursor}`, { key })).toMatchObject({ status: 400 })
  },
)
