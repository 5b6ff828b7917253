import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import { dayMs } from '../../../schema/durations.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { oracleCspPolicies } from '../../oracles/csp-policy-oracle.ts'
import { oracleIssueId } from '../../oracles/issue-oracle.ts'
import { now, runs, startOracleWorld, windowParams, windows } from '../../oracles/oracle-world.ts'
import { type OracleFilters, passesFilters } from '../../oracles/report-filters.ts'
import type { TestApi } from '../../support/api.ts'
import { readPages } from '../../support/read-pages.ts'
import { filterBy } from '../../support/report-requests.ts'
import type { TestKey } from '../../support/tenants.ts'

/** Beside those every fixture has: pages below pages, and every character that a regular expression reads otherwise. */
const documents = [
  'https://shop.example.test/checkout',
  'https://shop.example.test/checkout/',
  'https://shop.example.test/checkout/step?of=3',
  'https://shop.example.test/checkout/step/2?x=/**',
  'https://shop.example.test/checkout-old',
  'https://shop.example.test/(a)[b]{1}^$|+.*',
  'https://shop.example.test:8443/checkout',
  'http://shop.example.test/checkout',
  'checkout',
]

const patterns = [
  'https://shop.example.test/**',
  'https://shop.example.test/*',
  'https://shop.example.test/',
  'https://shop.example.test/cart',
  'https://shop.example.test/c*',
  'https://shop.example.test/check*/step',
  'https://shop.example.test/checkout/**',
  'https://shop.example.test/checkout/*',
  'https://shop.example.test/*/*/*',
  'https://shop.example.test/a.b',
  'https://shop.example.test/(a)[b]{1}^$|+.*',
  'https://shop.example.test/a\\b',
  "https://shop.example.test/it's",
  'https://shop.example.test/päge',
  'https://shop.example.test/🛒',
  'https://a_b.example.test/**',
  'https://*/**',
  '.*',
]

let api: TestApi
let key: TestKey
let tenantId: string
let siteIds: readonly string[]
let rows: readonly StoredReport[]
/** Each pattern's page, by site. */
let pageIds: Map<string, string>[]

beforeAll(async () => {
  const random = seeded(now)
  const world = await startOracleWorld({
    count: 1_800,
    reportTypes: ['csp-violation', 'coep'],
    siteCount: 2,
    change: (row) => [random.chance(0.4) ? { ...row, documentUrl: random.pick(documents) } : row],
  })
  ;({ api, key, tenantId, siteIds, rows } = world)
  pageIds = await Promise.all(
    siteIds.map(async (siteId) => {
      const ids = patterns.map((pattern) => api.insertMonitoredPage(tenantId, siteId, pattern))
      return new Map((await Promise.all(ids)).map((id, index) => [patterns[index] ?? '', id]))
    }),
  )
})

afterAll(() => api?.close())

const policiesOf = (siteId: string | undefined) => `/v1/sites/${siteId}/csp-policies`

test('CSP policies are those of the oracle, page by page, on random pages, filters of pages, issues and unaligned windows', async () => {
  const pattern = fc.option(fc.constantFrom(...patterns), { freq: 3, nil: undefined })
  const quoting = rows.filter(({ reportType }) => reportType === 'csp-violation')
  const issue = fc.option(fc.constantFrom(...quoting), { freq: 2, nil: undefined })
  const drawn = fc.record({
    window: windows,
    site: fc.nat(1),
    page: pattern,
    issue,
    filters: fc.oneof({ weight: 2, arbitrary: fc.constant<OracleFilters>({}) }, filterBy(quoting, 'page')),
    limit: fc.integer({ min: 3, max: 11 }),
  })
  await fc.assert(
    fc.asyncProperty(drawn, async ({ window, site, page, issue, filters, limit }) => {
      const index = issue ? siteIds.indexOf(issue.siteId) : site
      const issueId = issue && oracleIssueId(issue)
      const ofIssue = issueId === undefined ? rows : rows.filter((row) => oracleIssueId(row) === issueId)
      const found = ofIssue.filter((row) => passesFilters(row, filters))
      const { data, truncated } = oracleCspPolicies(found, window, siteIds[index] ?? '', page)
      const pageId = page === undefined ? undefined : pageIds[index]?.get(page)
      const params = { ...windowParams(window), pageId, issueId, ...filters, limit }
      const response = await readPages(api, key, policiesOf(siteIds[index]), params)
      expect(response.data).toEqual(data)
      expect(response.rest).toEqual({ truncated })
    }),
    runs(60),
  )
})

describe('a monitored page', () => {
  const send = (pageId: string, siteId = siteIds[0]) => api.get(`${policiesOf(siteId)}?pageId=${pageId}`, { key })

  test('of another site, of another tenant or of nobody is not found', async () => {
    const strangerId = await api.createTenant()
    const strangerSite = await api.createSite(strangerId)
    const [pattern = ''] = patterns
    const ids = await Promise.all([
      pageIds[1]?.get(pattern),
      api.insertMonitoredPage(strangerId, strangerSite, pattern),
      api.insertMonitoredPage(strangerId, siteIds[0] ?? '', pattern),
      randomUUID(),
    ])
    for (const id of ids) {
      const { status, body } = await send(id ?? '')
      expect([status, body.error.code]).toEqual([404, 'not_found'])
    }
  })

  test('is what it was last changed to', async () => {
    const [siteId = ''] = siteIds
    const id = await api.insertMonitoredPage(tenantId, siteId, 'https://nowhere.example.test/**')
    expect((await send(id)).body.data).toEqual([])
    await api.insertMonitoredPage(tenantId, siteId, 'https://shop.example.test/**', id)
    expect((await send(id.toUpperCase())).body.data.length).toBeGreaterThan(1)
  })
})

describe('a site whose reports quote more than a read takes', () => {
  const quoting = (count: number, policyOf: (index: number) => string) => {
    const random = seeded(count)
    return Array.from({ length: count }, (_, index): Partial<StoredReport> => {
      // Several share a time, at the place where a read ends too.
      const receivedAt = now - dayMs - Math.floor(index / 7) * 1_000
      return { receivedAt, id: uuidV7(receivedAt, random), policy: policyOf(index) }
    })
  }

  async function read(reports: readonly Partial<StoredReport>[], limit: number) {
    const siteId = await api.createSite(tenantId)
    const stored = reports.map((report) => aReport({ ...report, tenantId, siteId }))
    await api.insertReports(stored)
    const expected = oracleCspPolicies(stored, { from: now - 31 * dayMs, to: now }, siteId, undefined)
    return { expected, response: await readPages(api, key, policiesOf(siteId), { limit }) }
  }

  test('lists the 200 last seen and is truncated', async () => {
    const { expected, response } = await read(
      quoting(203, (index) => `img-src https://h${index}.example.test`),
      64,
    )
    expect(expected).toMatchObject({ truncated: true, data: { length: 200 } })
    expect({ data: response.data, ...response.rest }).toEqual(expected)
  })

  test('is not truncated at 200', async () => {
    const { response } = await read(
      quoting(200, (index) => `img-src https://h${index}.example.test`),
      200,
    )
    expect(response).toMatchObject({ rest: { truncated: false }, data: { length: 200 } })
  })

  test('counts policies before it merges them', async () => {
    const spaced = (index: number) => `img-src${' '.repeat(index + 1)}'self'`
    const { expected, response } = await read(quoting(201, spaced), 1)
    expect(expected).toMatchObject({ truncated: true, data: { length: 1 } })
    expect({ data: response.data, ...response.rest }).toEqual(expected)
  })
})
