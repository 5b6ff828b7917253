import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { hourMs, minuteMs } from '../../../schema/durations.ts'
import { networkErrorPhases } from '../../../schema/enumerations.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { oracleCrashes, oracleNetworkErrors } from '../../oracles/group-oracle.ts'
import { now, optional, runs, startOracleWorld, windowParams, windows } from '../../oracles/oracle-world.ts'
import type { TestApi } from '../../support/api.ts'
import { readPages } from '../../support/read-pages.ts'
import type { TestKey } from '../../support/tenants.ts'

let api: TestApi
let key: TestKey
let siteIds: readonly string[]
let crashes: StoredReport[]
let networkErrors: StoredReport[]

/** Around the longest stack of a response; the last characters take two UTF-16 units. */
const longStack = (index: number) => `${'x'.repeat(1_018 + (index % 7))}👋🦊👩‍💻 wörld`

/** Random rows make many small groups; a large one has more addresses, methods and stacks than a response. */
const large: Partial<Record<string, Partial<StoredReport>>> = {
  crash: { feature: 'oom', documentUrl: 'https://shop.example.test/a_b?x=2', isTopLevel: true, visibilityState: '' },
  'network-error': {
    feature: 'tcp.timed_out',
    phase: 'connection',
    requestOrigin: 'https://px.metrics.test',
    statusCode: 0,
  },
}

/** Some reports have another of their group received in the same millisecond, mostly by another site. */
function awkward(row: StoredReport, index: number, siteIds: readonly string[]): StoredReport[] {
  const stack = index % 3 === 0 ? longStack(index) : row.stack
  const report = { ...row, stack, ...(index % 4 === 0 ? large[row.reportType] : {}) }
  if (index % 5 > 0) return [report]
  const id = `${row.id.slice(0, 24)}${[...row.id.slice(24)].reverse().join('')}`
  const twin = { id, siteId: siteIds[index % 3] ?? '', stack: 'twin', requestUrl: 'https://px.metrics.test/twin' }
  return [report, { ...report, ...twin }]
}

beforeAll(async () => {
  const world = await startOracleWorld({
    count: 1_800,
    reportTypes: ['crash', 'network-error', 'csp-violation'],
    siteCount: 3,
    change: awkward,
  })
  ;({ api, key, siteIds } = world)
  crashes = world.rows.filter(({ reportType }) => reportType === 'crash')
  networkErrors = world.rows.filter(({ reportType }) => reportType === 'network-error')
})

afterAll(() => api?.close())

/** A value that some row has and a filter can say, one that none has, and mostly none at all. */
function exactly(rows: readonly StoredReport[], field: 'feature' | 'requestOrigin'): fc.Arbitrary<string | undefined> {
  const sayable = [...new Set(rows.map((row) => row[field]))].filter((value) => /^[ -[\]-~]+$/.test(value))
  const other = ['_', '%', "it's", sayable[0]?.toUpperCase() ?? 'x', sayable[0]?.replace(/[a-z]/, '_') ?? 'x']
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 3, arbitrary: fc.constantFrom(...sayable) },
    { weight: 1, arbitrary: fc.constantFrom(...other) },
  )
}

const limits = fc.integer({ min: 1, max: 60 })

/** Few pages, whatever the limit drawn. */
const enough = (limit: number, items: number) => Math.max(limit, Math.ceil((items + 1) / 2))

describe('the API groups as the oracle does, page by page, on random filters and unaligned windows', () => {
  test('crashes', async () => {
    const filters = fc.record({ siteId: optional(siteIds), reason: exactly(crashes, 'feature') })
    await fc.assert(
      fc.asyncProperty(windows, filters, limits, async (window, filter, drawn) => {
        const { data, totals } = oracleCrashes(crashes, window, filter)
        const limit = enough(drawn, data.length)
        const response = await readPages(api, key, '/v1/crashes', { ...windowParams(window), ...filter, limit })
        expect(response.data).toEqual(data)
        expect(response.rest).toEqual({ totals, truncated: false })
      }),
      runs(24),
    )
  })

  test('network errors', async () => {
    const filters = fc.record({
      siteId: optional(siteIds),
      phase: optional(networkErrorPhases),
      errorType: exactly(networkErrors, 'feature'),
      origin: exactly(networkErrors, 'requestOrigin'),
    })
    await fc.assert(
      fc.asyncProperty(windows, filters, limits, async (window, filter, drawn) => {
        const { data, totals } = oracleNetworkErrors(networkErrors, window, filter)
        const limit = enough(drawn, data.length)
        const response = await readPages(api, key, '/v1/network-errors', { ...windowParams(window), ...filter, limit })
        expect(response.data).toEqual(data)
        expect(response.rest).toEqual({ totals, truncated: false })
      }),
      runs(24),
    )
  })
})

test('a group keeps the stack of a crash when a later one of the same hour has none', async () => {
  const tenantId = await api.createTenant()
  const crash = (minutesAgo: number, stack: string) =>
    aReport({ tenantId, reportType: 'crash', feature: 'oom', stack, receivedAt: now - minutesAgo * minuteMs })
  await api.insertReports([crash(2, 'at pay'), crash(1, '')])
  const window = windowParams({ from: now - hourMs, to: now })
  const { data } = await readPages(api, await api.createKey(tenantId), '/v1/crashes', window)
  expect(data).toMatchObject([{ reportCount: 2, stackExcerpt: 'at pay' }])
})
