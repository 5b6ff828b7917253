import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seeded } from '../../../fixtures/seeded.ts'
import { browserChangeTypeNames } from '../../../schema/report-types.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { oracleBrowserChanges } from '../../oracles/browser-change-oracle.ts'
import { now, optional, runs, startOracleWorld, windowParams, windows } from '../../oracles/oracle-world.ts'
import type { TestApi } from '../../support/api.ts'
import { readPages } from '../../support/read-pages.ts'
import type { TestKey } from '../../support/tenants.ts'

let api: TestApi
let key: TestKey
let siteIds: readonly string[]
let rows: readonly StoredReport[]

/** Few dates, so that many entries share one, and the first and last that can be stored. */
const removals = [null, null, Date.UTC(2027, 2, 2), Date.UTC(2027, 2, 2) + 1, 1, Date.UTC(2200, 0, 1) - 1]

beforeAll(async () => {
  const random = seeded(now)
  const world = await startOracleWorld({
    count: 2_500,
    reportTypes: [...browserChangeTypeNames, 'document-policy-violation'],
    siteCount: 3,
    change: (row) => [{ ...row, anticipatedRemoval: random.pick(removals) }],
  })
  ;({ api, key, siteIds, rows } = world)
})

afterAll(() => api?.close())

test('browser changes are those of the oracle, page by page, on random filters and unaligned windows', async () => {
  const filters = fc.record({ siteId: optional(siteIds), reportType: optional(browserChangeTypeNames) })
  await fc.assert(
    fc.asyncProperty(windows, filters, fc.integer({ min: 1, max: 80 }), async (window, filter, drawn) => {
      const { data, totals } = oracleBrowserChanges(rows, window, filter)
      // A handful of pages, whatever the limit drawn.
      const limit = Math.max(drawn, Math.ceil((data.length + 1) / 3))
      const response = await readPages(api, key, '/v1/browser-changes', { ...windowParams(window), ...filter, limit })
      expect(response.data).toEqual(data)
      expect(response.rest).toEqual({ totals, truncated: false })
    }),
    runs(30),
  )
})
