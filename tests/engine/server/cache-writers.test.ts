import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { alertRules } from '../../../app/import/records/types/alert-rules.ts'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { untilVersionsExpire } from '../../../clickhouse/rollups/until-versions-expire.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { dayMs, minuteMs } from '../../../schema/durations.ts'
import { cli } from '../../support/cli.ts'
import { startTestCollector, type TestCollector } from '../../support/collector.ts'
import {
  type ContractApi,
  createWorld,
  operations,
  siteRequest,
  startContractApi,
  type TestWorld,
} from '../../support/contract.ts'

/** Behind what the collector receives meanwhile. */
const now = new Date(Date.now() + 10 * minuteMs)
const cached = operations.all.filter(([, endpoint]) => endpoint.cache)

let api: ContractApi
let collector: TestCollector
/** Of every test: each writer changes it further. */
let world: TestWorld

beforeAll(async () => {
  api = await startContractApi({ now: () => now })
  collector = await startTestCollector()
  world = await createWorld(api, 7)
})
afterAll(() => Promise.all([api?.close(), collector?.close()]))

const responses = (from: ContractApi, { key, siteIds } = world) =>
  Promise.all(
    cached.flatMap(([, endpoint]) => [
      from.request(endpoint, { siteId: siteIds[0], key }),
      from.request(endpoint, { ...siteRequest(endpoint, siteIds[0]), key }),
    ]),
  ).then((all) => all.map(({ text }) => text))

const run = async (...words: string[]) => {
  const ended = await cli(words, { environment: { CLICKHOUSE_URL: inject('servers').writeUrl } })
  expect(ended).toMatchObject({ code: 0 })
}

type Writer = (world: TestWorld) => Promise<unknown>

const page = {
  kind: 'payment',
  label: 'Pay',
  pattern: 'https://shop.example.test/pay',
  scanUrl: 'https://shop.example.test/pay',
}
const rule = {
  id: 'rule',
  siteId: null,
  eventType: 'csp.new_issue',
  kind: 'immediate',
  destinationId: 'dst_1',
  enabled: true,
}

const writers: [what: string, writer: Writer][] = [
  [
    'the collector',
    async ({ tenantId }) => {
      const token = makeSiteToken()
      await api.createSite(tenantId, { name: 'Collected', hosts: ['collected.test'], token })
      const report = { type: 'crash', age: 60_000, url: 'https://collected.test/', body: { reason: 'oom' } }
      expect((await collector.post(token, [report])).status).toBe(204)
    },
  ],
  [
    'an import of pages',
    ({ tenantId, siteIds }) =>
      api.importRecords(tenantId, monitoredPages, [{ ...page, id: crypto.randomUUID(), siteId: siteIds[0] }]),
  ],
  ['an import of rules', ({ tenantId }) => api.importRecords(tenantId, alertRules, [rule])],
  [
    'an update of a site',
    ({ tenantId, siteIds }) =>
      run('sites', 'update', '--tenant', tenantId, '--site', siteIds[0], '--name', 'New', '--host', 'new.test'),
  ],
  ['a rotation', ({ tenantId, siteIds }) => run('sites', 'rotate-token', '--tenant', tenantId, '--site', siteIds[0])],
]

describe.each(writers)('after %s', (what, writer) => {
  test('every cached operation responds as a process without a cache', async () => {
    let before: string[] = []
    for (let times = 0; times < 3; times++) before = await responses(api)
    await writer(world)
    await untilVersionsExpire()
    const fresh = await startContractApi({ now: () => now })
    const expected = await responses(fresh)
    await fresh.close()
    expect(await responses(api)).toEqual(expected)
    if (what === 'the collector') expect(expected).not.toEqual(before)
    else expect(expected).toEqual(before)
  })
})

test('a shorter retention is followed by a key’s next lookup, and its window is cached apart', async () => {
  const tenantId = await api.createTenant({ overrides: { retentionDays: 30 } })
  const [siteId, key] = [await api.createSite(tenantId), await api.createKey(tenantId)]
  const ages = [1, 20].map((days) => now.getTime() - days * dayMs)
  await api.insertReports(ages.map((receivedAt) => aReport({ tenantId, siteId, receivedAt, retentionDays: 30 })))
  const path = `/v1/reports/count?from=${new Date(now.getTime() - 20 * dayMs).toISOString()}&siteId=${siteId}`
  const counted = async () => (await api.get('/v1/reports/count?last=31d', { key })).body.data.reportCount
  for (let times = 0; times < 3; times++) {
    expect((await api.get(path, { key })).status).toBe(200)
    expect(await counted()).toBe(2)
  }
  await run('tenants', 'update', '--tenant', tenantId, '--retention-days', '10')
  await expect.poll(async () => (await api.get(path, { key })).status).toBe(400)
  expect(await counted()).toBe(1)
})
