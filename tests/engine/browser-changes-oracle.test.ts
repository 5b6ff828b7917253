import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomReports } from '../../fixtures/reports.ts'
import { seeded } from '../../fixtures/seeded.ts'
import { day } from '../../schema/durations.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { oracleBrowserChanges } from '../support/browser-change-oracle.ts'
import { readPages } from '../support/read-pages.ts'
import { windowWithin } from '../support/report-questions.ts'
import type { TestKey } from '../support/tenants.ts'

const retentionDays = 62

const now = Date.now()
const retentionFrom = (Math.floor(now / day) - retentionDays) * day

let api: TestApi
let key: TestKey
let siteIds: string[]
let rows: StoredReport[]

/** Few dates, so that many entries share one, and the first and last that can be stored. */
const removals = [null, null, Date.UTC(2027, 2, 2), Date.UTC(2027, 2, 2) + 1, 1, Date.UTC(2200, 0, 1) - 1]

beforeAll(async () => {
  api = await startApi({ now: () => new Date(now) })
  const overrides = { retentionDays, keyLimit: 1_000_000, tenantLimit: 1_000_000 }
  const [tenantId, strangerId] = await Promise.all([api.createTenant({ overrides }), api.createTenant({ overrides })])
  siteIds = await Promise.all([1, 2, 3].map(() => api.createSite(tenantId)))
  key = await api.createKey(tenantId)
  const random = seeded(now)
  rows = randomReports({
    seed: now,
    count: 2_500,
    reportTypes: ['deprecation', 'intervention', 'document-policy-violation'],
    tenantId,
    siteIds,
    from: new Date(retentionFrom),
    to: new Date(now),
  }).map((row) => ({ ...row, anticipatedRemoval: random.pick(removals) }))
  // Several inserts, so that a rollup's rows lie in several parts; a stranger has the same rows, sites included.
  const size = 700
  for (let at = 0; at < rows.length; at += size) {
    const batch = rows.slice(at, at + size)
    await api.insertReports(batch)
    await api.insertReports(batch.map((row) => ({ ...row, tenantId: strangerId })))
  }
})

afterAll(() => api?.close())

const windows = fc.oneof(
  { weight: 3, arbitrary: windowWithin(retentionFrom, now, 31) },
  { weight: 1, arbitrary: windowWithin(retentionFrom, now, 1) },
)
const optional = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { freq: 2, nil: undefined })

test('browser changes are those of the oracle, page by page, on random filters and unaligned windows', async () => {
  const filters = fc.record({ siteId: optional(siteIds), reportType: optional(['deprecation', 'intervention']) })
  await fc.assert(
    fc.asyncProperty(windows, filters, fc.integer({ min: 1, max: 80 }), async (window, filter, drawn) => {
      const { data, totals } = oracleBrowserChanges(rows, window, filter)
      // A handful of pages, whatever the limit drawn.
      const limit = Math.max(drawn, Math.ceil((data.length + 1) / 3))
      const times = { from: new Date(window.from).toISOString(), to: new Date(window.to).toISOString() }
      const answered = await readPages(api, key, '/v1/browser-changes', { ...times, ...filter, limit })
      expect(answered.data).toEqual(data)
      expect(answered.rest).toEqual({ totals })
    }),
    { numRuns: 30, seed: now, endOnFailure: true },
  )
})
