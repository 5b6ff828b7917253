import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../../app/import/records/types/scans.ts'
import { randomPages } from '../../../fixtures/random-records.ts'
import { failedScan } from '../../../fixtures/scans.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { readPages } from '../../support/read-pages.ts'

let api: TestApi

beforeAll(async () => {
  api = await startApi()
})

afterAll(() => api?.close())

/** A new tenant with a site, of which a page with this id is imported. */
async function ownerOf(pageId: string) {
  const tenantId = await api.createTenant()
  const siteId = await api.createSite(tenantId)
  const pages = randomPages({ seed: 1, count: 1, siteIds: [siteId] }).map((page) => ({ ...page, id: pageId }))
  await api.importRecords(tenantId, monitoredPages, pages)
  return { tenantId, siteId, key: await api.createKey(tenantId) }
}

test('an immutable field of one tenant’s record binds no other tenant', async () => {
  const id = randomUUID()
  for (const { siteId, key } of [await ownerOf(id), await ownerOf(id)]) {
    const { data } = await readPages(api, key, `/v1/sites/${siteId}/pages`, { limit: 10 })
    expect(data).toEqual([expect.objectContaining({ id, siteId })])
  }
})

test('a scan’s time is immutable, be it stored or of an earlier line', async () => {
  const pageId = randomUUID()
  const { tenantId } = await ownerOf(pageId)
  const at = (id: string, scannedAt: string) => failedScan({ id, pageId, scannedAt })
  const [early, late] = ['2026-01-31T04:00:00.000Z', '2026-01-31T05:00:00.000Z']
  const [one, two] = [randomUUID(), randomUUID()]
  await api.importRecords(tenantId, scans, [at(one, early)])
  for (const lines of [[at(one, late)], [at(two, early), at(two, late)]]) {
    await expect(api.importRecords(tenantId, scans, lines)).rejects.toThrow(/scannedAt of the id .* cannot be changed/)
  }
})
