import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { readReports } from '../../../app/collector/read-reports.ts'
import { createReportShares } from '../../../app/collector/report-shares.ts'
import { makeSiteToken } from '../../../app/collector/site-address.ts'
import { type CollectorSite, openSites } from '../../../app/collector/sites.ts'
import { clickHouseReportWriter } from '../../../app/import/reports/clickhouse-report-writer.ts'
import { toInsertLine } from '../../../app/import/reports/insert-block.ts'
import { reportIds } from '../../../app/import/reports/report-id.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { connectPatiently } from '../../support/patience.ts'
import type { TestKey } from '../../support/tenants.ts'

const rates = { crash: 0.1, 'csp-violation': 0.25 }

/** Posts by type; two thirds of the crashes are of one group. */
const sent = { crash: 30_000, 'csp-violation': 40_000, deprecation: 3_000 }
type Type = keyof typeof sent

let api: TestApi
let database: Database
let key: TestKey
let siteId: string

beforeAll(async () => {
  api = await startApi()
  database = connectPatiently(inject('servers').writeUrl)
  const tenantId = await api.createTenant()
  key = await api.createKey(tenantId)
  const token = makeSiteToken()
  siteId = await api.createSite(tenantId, { hosts: ['shop.example'], token, sampleRates: rates })
  const folder = await mkdtemp(join(tmpdir(), 'sampling-'))
  const sites = await openSites({ read: (query) => database.read(query), folder })
  await postAll((await sites.find(token)) as CollectorSite)
  sites.close()
  await rm(folder, { recursive: true })
})

afterAll(async () => {
  await database?.close()
  await api?.close()
})

const bodies: Record<Type, (index: number) => unknown> = {
  crash: (index) => ({ reason: index % 3 === 0 ? 'unresponsive' : 'oom' }),
  'csp-violation': () => ({ documentURL: 'https://shop.example/', blockedURL: 'inline', disposition: 'enforce' }),
  deprecation: () => ({ id: 'UnloadHandler', message: 'Unload event listeners are deprecated' }),
}

async function postAll(site: CollectorSite): Promise<void> {
  const writer = clickHouseReportWriter(database)
  const random = seeded(2).next
  const makeId = reportIds('sampling')
  let ordinal = 0
  const context = {
    site,
    receivedAt: Date.now(),
    userAgent: '',
    random,
    shares: createReportShares(),
    onOutcome: () => {},
    makeId: (receivedAt: number) => makeId(ordinal++, receivedAt),
  }
  for (const type of Object.keys(sent) as Type[]) {
    const reports = Array.from({ length: sent[type] }, (_, index) => {
      const report = { type, url: 'https://shop.example/', body: bodies[type](index) }
      return readReports([report], context)
    })
    await writer.write([Buffer.from(reports.flat().map(toInsertLine).join(''))], `sampling of ${type}`)
  }
}

/** Four standard errors of an estimate: of n posts each is stored with probability p, and counts 1 / p. */
const tolerance = (posts: number, rate: number) => 4 * Math.sqrt((posts * (1 - rate)) / rate)

function expectEstimate(estimate: number, posts: number, rate: number): void {
  expect(Math.abs(estimate - posts)).toBeLessThan(tolerance(posts, rate))
}

const read = async (path: string) => (await api.get(path, { key })).body

test.each(Object.entries(rates))('%s is stored at the rate %d and counted in full', async (type, rate) => {
  const { data } = await read(`/v1/reports/count?siteId=${siteId}&reportType=${type}`)
  const posts = sent[type as Type]
  expect(data.sampled).toBe(true)
  expectEstimate(data.estimatedReportCount, posts, rate)
  expect(data.reportCount).toBe(data.estimatedReportCount * rate)
})

test('a type without a rate is stored whole', async () => {
  const { data } = await read(`/v1/reports/count?siteId=${siteId}&reportType=deprecation`)
  expect(data).toEqual({ reportCount: sent.deprecation, estimatedReportCount: sent.deprecation, sampled: false })
})

test('crash groups scale their stored crashes by the sample rate', async () => {
  const { data, totals } = await read(`/v1/crashes?siteId=${siteId}`)
  expect(data.map(({ reason }: { reason: string }) => reason)).toEqual(['oom', 'unresponsive'])
  for (const [index, posts] of [20_000, 10_000].entries()) {
    expectEstimate(data[index].estimatedReportCount, posts, rates.crash)
    expect(data[index].reportCount * 10).toBe(data[index].estimatedReportCount)
  }
  expect(totals.estimatedReportCount).toBe(data[0].estimatedReportCount + data[1].estimatedReportCount)
})
