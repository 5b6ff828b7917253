import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomReports } from '../../../fixtures/reports.ts'
import { dayMs } from '../../../schema/durations.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { readPages } from '../../support/read-pages.ts'
import type { TestKey } from '../../support/tenants.ts'

const seed = Date.now()
const now = Date.now()

let api: TestApi
let key: TestKey
let siteIds: string[]
let reports: StoredReport[]

beforeAll(async () => {
  api = await startApi()
  const tenantId = await api.createTenant({ overrides: { retentionDays: 20, keyLimit: 1_000, tenantLimit: 1_000 } })
  siteIds = []
  for (let index = 0; index < 5; index++) {
    siteIds.push(await api.createSite(tenantId, { name: `Site ${index}`, hosts: [`site${index}.example`] }))
  }
  key = await api.createKey(tenantId)
  const window = { from: new Date(now - 40 * dayMs), to: new Date(now) }
  reports = [
    ...randomReports({ seed, count: 500, tenantId, siteIds: siteIds.slice(0, 3), ...window }),
    // Older than retention, and sightings of scripts alone.
    ...randomReports({
      seed,
      count: 5,
      tenantId,
      siteIds: siteIds.slice(3, 4),
      from: window.from,
      to: new Date(now - 30 * dayMs),
    }),
    ...randomReports({ seed, count: 5, tenantId, siteIds: siteIds.slice(4), reportTypes: ['csp-hash'], ...window }),
  ].map((report) => ({ ...report, retentionDays: 60 }))
  await api.insertReports(reports)
})
afterAll(() => api.close())

test.each([1, 2, 50])(
  'sites are listed with their first and last report or sighting of a script, %d a page',
  async (limit) => {
    const retentionFrom = (Math.floor(now / dayMs) - 20) * dayMs
    const { data } = await readPages(api, key, '/v1/sites', { limit })
    const expected = siteIds.map((id, index) => {
      const times = reports
        .filter(({ siteId, receivedAt }) => siteId === id && receivedAt >= retentionFrom)
        .map(({ receivedAt }) => receivedAt)
      const text = (time: number) => (times.length > 0 ? new Date(time).toISOString() : null)
      const seen = { firstSeen: text(Math.min(...times)), lastSeen: text(Math.max(...times)) }
      return { id, name: `Site ${index}`, hosts: [`site${index}.example`], ...seen }
    })
    expect(data).toEqual(expected)
  },
)

test('one site is found by its id, and none of another tenant', async () => {
  const [first = ''] = siteIds
  expect((await api.get(`/v1/sites?siteId=${first}`, { key })).body.data).toMatchObject([{ id: first }])
  const stranger = await api.createKey(await api.createTenant())
  expect((await api.get('/v1/sites', { key: stranger })).body.data).toEqual([])
  expect((await api.get(`/v1/sites?siteId=${first}`, { key: stranger })).status).toBe(404)
})
