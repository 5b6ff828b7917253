import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import { connect } from '../../../queries/clickhouse/client.ts'
import { dayMs } from '../../../schema/durations.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { oracleCspPolicies } from '../../oracles/csp-policy-oracle.ts'
import { now, runs, startOracleWorld, windowParams, windows } from '../../oracles/oracle-world.ts'
import type { TestApi } from '../../support/api.ts'
import { queryRows } from '../../support/database.ts'
import { firstHalfOfMd5 } from '../../support/md5.ts'
import { readPages } from '../../support/read-pages.ts'
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

test('CSP policies are those of the oracle, page by page, on random pages and unaligned windows', async () => {
  const pattern = fc.option(fc.constantFrom(...patterns), { freq: 3, nil: undefined })
  await fc.assert(
    fc.asyncProperty(windows, fc.nat(1), pattern, fc.integer({ min: 1, max: 9 }), async (window, site, page, limit) => {
      const { data, truncated } = oracleCspPolicies(rows, window, siteIds[site] ?? '', page)
      const pageId = page === undefined ? undefined : pageIds[site]?.get(page)
      const answered = await readPages(api, key, policiesOf(siteIds[site]), {
        ...windowParams(window),
        pageId,
        limit: limit + 2,
      })
      expect(answered.data).toEqual(data)
      expect(answered.rest).toEqual({ truncated })
    }),
    runs(45),
  )
})

describe('a monitored page', () => {
  const ask = (pageId: string, siteId = siteIds[0]) => api.get(`${policiesOf(siteId)}?pageId=${pageId}`, { key })

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
      const { status, body } = await ask(id ?? '')
      expect([status, body.error.code]).toEqual([404, 'not_found'])
    }
  })

  test('is what it was last changed to', async () => {
    const [siteId = ''] = siteIds
    const id = await api.insertMonitoredPage(tenantId, siteId, 'https://nowhere.example.test/**')
    expect((await ask(id)).body.data).toEqual([])
    await api.insertMonitoredPage(tenantId, siteId, 'https://shop.example.test/**', id)
    expect((await ask(id.toUpperCase())).body.data.length).toBeGreaterThan(1)
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
    return { expected, answered: await readPages(api, key, policiesOf(siteId), { limit }) }
  }

  test('lists the 200 last seen and is truncated', async () => {
    const { expected, answered } = await read(
      quoting(203, (index) => `img-src https://h${index}.example.test`),
      64,
    )
    expect(expected).toMatchObject({ truncated: true, data: { length: 200 } })
    expect({ data: answered.data, ...answered.rest }).toEqual(expected)
  })

  test('is not truncated at 200', async () => {
    const { answered } = await read(
      quoting(200, (index) => `img-src https://h${index}.example.test`),
      200,
    )
    expect(answered).toMatchObject({ rest: { truncated: false }, data: { length: 200 } })
  })

  test('counts policies before it merges them', async () => {
    const spaced = (index: number) => `img-src${' '.repeat(index + 1)}'self'`
    const { expected, answered } = await read(quoting(201, spaced), 1)
    expect(expected).toMatchObject({ truncated: true, data: { length: 1 } })
    expect({ data: answered.data, ...answered.rest }).toEqual(expected)
  })
})

test('a policy that was truncated when it was stored is marked, however little of it is there', async () => {
  const siteId = await api.createSite(tenantId)
  const policy = `img-src ${'a.test '.repeat(5_000)}`
  const shown = (length: number, age: number) =>
    aReport({ tenantId, siteId, policy: policy.slice(0, length), receivedAt: now - dayMs - age, id: randomUUID() })
  await api.insertReports([shown(32_768, 1), shown(708, 2)])
  const { data } = await readPages(api, key, policiesOf(siteId), {})
  expect(data).toMatchObject([{ policy: 'img-src a.test', truncated: true, reportCount: 2 }])
})

test('a forged nonce hides no directive of another policy', async () => {
  const siteId = await api.createSite(tenantId)
  const quoted = (policy: string, age: number) =>
    aReport({ tenantId, siteId, policy, receivedAt: now - dayMs - age, id: randomUUID() })
  const stored = [
    quoted("script-src 'nonce-; img-src * ; x'; img-src 'self'", 1),
    quoted("script-src 'nonce-abc'; img-src 'self'", 2),
    quoted("script-src 'nonce-def'; img-src 'self'", 3),
  ]
  await api.insertReports(stored)
  const { data } = await readPages(api, key, policiesOf(siteId), {})
  expect(data).toEqual(oracleCspPolicies(stored, { from: 0, to: now }, siteId, undefined).data)
  expect(data.map(({ reportCount }) => reportCount)).toEqual([1, 2])
})

test('a policy has the same key in every release, whatever its nonces and its neighbours', async () => {
  const siteId = await api.createSite(tenantId)
  const keys = [
    ['', '00'],
    ["default-src 'self'", firstHalfOfMd5("default-src 'self'")],
    ["script-src 'nonce-abc' 'self' 'nonce-def'", firstHalfOfMd5("script-src 'nonce-*' 'self' 'nonce-*'")],
    ["script-src 'nonce-ghi' 'self' 'nonce-'", firstHalfOfMd5("script-src 'nonce-*' 'self' 'nonce-*'")],
    ["script-src 'nonce-cut", firstHalfOfMd5("script-src 'nonce-cut")],
    ['img-src 🦊 \\1 \u0000', firstHalfOfMd5('img-src 🦊 \\1 \u0000')],
  ] as const
  await api.insertReports(
    [...keys, ...keys].map(([policy]) =>
      aReport({ tenantId, siteId, policy, receivedAt: now - dayMs, id: randomUUID() }),
    ),
  )
  const writer = connect(inject('servers').writeUrl)
  const stored = await queryRows(
    writer,
    `SELECT DISTINCT policy, lower(hex(policy_key)) FROM reports WHERE site_id = '${siteId}'`,
  ).finally(() => writer.close())
  expect(new Map(stored as [string, string][])).toEqual(new Map(keys))
})

test('a policy is truncated to 16 KB between characters; its id separates equal beginnings', async () => {
  const siteId = await api.createSite(tenantId)
  const long = (tail: string) => `img-src ${'🦊'.repeat(4_093)}${tail}`
  const policies = [long('abcd'), long('abcdefg'), long('abcd🦊'), `img-src ${'x'.repeat(16_376)}`]
  const stored = policies.map((policy, index) =>
    aReport({ tenantId, siteId, policy, receivedAt: now - dayMs - index, id: randomUUID() }),
  )
  await api.insertReports(stored)
  const { data } = await readPages(api, key, policiesOf(siteId), {})
  expect(data).toEqual(oracleCspPolicies(stored, { from: 0, to: now }, siteId, undefined).data)
  expect(data.map(({ policy, truncated }) => [Buffer.byteLength(policy), truncated])).toEqual([
    [16_384, false],
    [16_384, true],
    [16_384, true],
    [16_384, false],
  ])
})
