import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { alertDeliveries } from '../../../app/import/records/types/alert-deliveries.ts'
import { randomDeliveries } from '../../../fixtures/random-records.ts'
import { dayMs } from '../../../schema/durations.ts'
import type { AlertDelivery } from '../../../schema/responses/alert-delivery.ts'
import { type DeliveryFilters, oracleDeliveries } from '../../oracles/delivery-oracle.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { numberOfCases } from '../../support/number-of-cases.ts'
import { readPages } from '../../support/read-pages.ts'
import type { TestKey } from '../../support/tenants.ts'

const seed = Date.now()
const path = '/v1/alert-deliveries'

let api: TestApi
let key: TestKey
let tenantId: string
let siteIds: string[]
let records: AlertDelivery[]

beforeAll(async () => {
  api = await startApi()
  tenantId = await api.createTenant()
  siteIds = await Promise.all([1, 2, 3].map(() => api.createSite(tenantId)))
  key = await api.createKey(tenantId)
  // Older than the retention of any report, too: the list has no window.
  const span = { from: new Date(seed - 800 * dayMs), to: new Date(seed) }
  records = randomDeliveries({ ...span, seed, count: 200, siteIds: siteIds.slice(0, 2) })
  for (let at = 0; at < records.length; at += 60) {
    await api.importRecords(tenantId, alertDeliveries, records.slice(at, at + 60))
  }
  // A stranger has the same deliveries under other ids, sites included.
  const strange = records.map((one) => ({ ...one, id: `${one.id}!` }))
  await api.importRecords(await api.createTenant(), { ...alertDeliveries, foreignKeys: {} }, strange)
})

afterAll(() => api?.close())

const holed = (text: string) =>
  fc.nat({ max: text.length - 1 }).map((at) => `${text.slice(0, at)}_${text.slice(at + 1)}`)

/** Values that some record has, with or without a wildcard, and others. */
function textFilter(stored: readonly (string | null)[]): fc.Arbitrary<string | undefined> {
  const own = fc.constantFrom(...stored.filter((text) => text !== null))
  const other = fc.constantFrom('%', '_', 'nothing', '%_%', 'CSP.NEW_ISSUE')
  return fc.option(fc.oneof(own, own.chain(holed), other), { nil: undefined })
}

test('the list agrees with the oracle on random filters, page by page', async () => {
  const filters: fc.Arbitrary<DeliveryFilters> = fc.record({
    siteId: fc.option(fc.constantFrom(...siteIds), { nil: undefined }),
    destinationId: textFilter(records.map(({ destination }) => destination.id)),
    eventType: textFilter(records.map(({ eventType }) => eventType)),
  })
  const requested = fc.record({ filters, limit: fc.integer({ min: 15, max: 200 }) })
  await fc.assert(
    fc.asyncProperty(requested, async ({ filters, limit }) => {
      const { data, rest } = await readPages(api, key, path, { ...filters, limit })
      expect(data).toEqual(oracleDeliveries(records, filters))
      expect(rest).toEqual({ truncated: false })
    }),
    { numRuns: numberOfCases(35), seed, endOnFailure: true },
  )
})

test('a digest is found by each site it covered, and by no other', async () => {
  const about = (siteId: string) => readPages(api, key, path, { siteId })
  const [one, two, three] = await Promise.all(siteIds.map(about))
  expect(one?.data.some(({ kind }) => kind === 'digest')).toBe(true)
  expect(two?.data.some(({ siteIds: covered }) => covered.length === 2)).toBe(true)
  expect(three?.data).toEqual([])
})

describe('an alert delivery', () => {
  const delivery = {
    id: 'd',
    alertId: 'a',
    kind: 'immediate',
    outcome: 'rejected',
    detail: null,
    destination: { id: 'x', name: 'Hook', type: 'webhook' },
    eventType: 'csp.new_issue',
    siteId: null,
    siteIds: [],
    summary: 'New issue',
    createdAt: '2026-01-31T12:00:00.000Z',
  }

  async function response(change: object) {
    const ownerId = await api.createTenant()
    await api.importRecords(ownerId, alertDeliveries, [{ ...delivery, ...change }])
    const { data } = await readPages(api, await api.createKey(ownerId), path, {})
    expect(data).toHaveLength(1)
    return data[0]
  }

  test('names the kind of failure and not the place', async () => {
    const detail = 'POST https://hooks.example.test/T024/s3cret failed: 500\nfrom 192.0.2.7'
    expect(await response({ detail })).toEqual({ ...delivery, detail: 'POST [url] failed: 500 from [ip]' })
  })

  test('never has the destination’s address for its name', async () => {
    const destination = { id: 'x', name: 'ops@example.test', type: 'email' }
    expect(await response({ destination })).toMatchObject({ destination: { ...destination, name: '[email]' } })
  })

  test.each(['digest', 'test'])('has no summary for a %s', async (kind) => {
    expect(await response({ kind })).toMatchObject({ kind, summary: null })
  })

  test('has neither name nor type of a destination that was deleted before sending', async () => {
    const change = { outcome: 'dropped', destination: { id: 'x', name: null, type: null }, summary: null }
    expect(await response(change)).toEqual({ ...delivery, ...change })
  })
})
