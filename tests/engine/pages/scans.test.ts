import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { monitoredPages } from '../../../app/import/records/types/monitored-pages.ts'
import { scans as scanType } from '../../../app/import/records/types/scans.ts'
import { failedScan, randomScans, type ScanRecord } from '../../../fixtures/scans.ts'
import { listScanEvidence } from '../../../queries/scans/scan-evidence.ts'
import { readScans } from '../../../queries/scans/scans.ts'
import { toReader } from '../../../queries/sql/query.ts'
import { dayMs } from '../../../schema/durations.ts'
import { oracleScans } from '../../oracles/scan-oracle.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { numberOfCases } from '../../support/number-of-cases.ts'
import { connectPatiently } from '../../support/patience.ts'
import { readPages } from '../../support/read-pages.ts'
import type { TestKey } from '../../support/tenants.ts'

const seed = Date.now()

let api: TestApi
let tenantId: string
let key: TestKey
let siteId: string
let otherSiteId: string
let paymentId: string
let pageIds: string[]
let scans: ScanRecord[]

const page = (id: string, ofSite: string, kind: 'payment' | 'other') => {
  const scanUrl = 'https://shop.example.test/checkout/payment'
  return { id, siteId: ofSite, kind, label: 'A page', pattern: scanUrl, scanUrl, position: 0 }
}

const random = (given: { seed: number; count: number }) =>
  randomScans({ ...given, pageIds, from: new Date(seed - 400 * dayMs), to: new Date(seed) })

beforeAll(async () => {
  api = await startApi()
  const strangerId = await api.createTenant()
  tenantId = await api.createTenant()
  ;[siteId, otherSiteId] = [await api.createSite(tenantId), await api.createSite(tenantId)]
  const strangeSite = await api.createSite(strangerId)
  key = await api.createKey(tenantId)
  pageIds = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  paymentId = String(pageIds[0])
  const pages = (ofSite: string) => pageIds.map((id, index) => page(id, ofSite, index === 1 ? 'other' : 'payment'))
  await api.importRecords(tenantId, monitoredPages, [...pages(siteId), page(randomUUID(), siteId, 'payment')])
  await api.importRecords(strangerId, monitoredPages, pages(strangeSite))
  scans = random({ seed, count: 150 })
  // A stranger's pages and scans have the same ids and times, and say something else.
  const others = random({ seed: seed + 1, count: 150 })
  const strange = scans.map(({ id, pageId, scannedAt }, index) => ({ ...others[index], id, pageId, scannedAt }))
  // Scans come in no order, and some of them twice, the first time with something else to say.
  const said = strange.slice(0, 40).map((one, index) => (scans[index]?.scripts ? one : { ...one, scripts: null }))
  await api.importRecords(tenantId, scanType, said)
  await api.importRecords(tenantId, scanType, scans.slice(60))
  await api.importRecords(tenantId, scanType, scans.slice(0, 60))
  await api.importRecords(strangerId, scanType, strange)
})

afterAll(() => api?.close())

const listPath = (pageId: string) => `/v1/sites/${siteId}/pages/${pageId}/scans`

async function get(path: string, asking = { key }) {
  const { status, body } = await api.get(path, asking)
  expect(body).not.toHaveProperty('error')
  expect(status).toBe(200)
  return body
}

interface Changed {
  readonly changes: { readonly headers: readonly object[]; readonly gradeDroppedFrom: string | null }
}

const isChanged = ({ changes: { headers, gradeDroppedFrom } }: Changed) =>
  headers.length > 0 || gradeDroppedFrom !== null

test('a page’s scans agree with the oracle, newest first, in pages of any size', async () => {
  const requested = fc.record({ pageId: fc.constantFrom(...pageIds), limit: fc.integer({ min: 1, max: 60 }) })
  await fc.assert(
    fc.asyncProperty(requested, async ({ pageId, limit }) => {
      const { data, rest } = await readPages(api, key, listPath(pageId), { limit: Math.max(limit, 6) })
      const expected = oracleScans(scans, pageId)
      expect(data).toEqual(expected)
      expect(rest.latestComplete).toEqual(expected.find(({ status }) => status === 'complete'))
    }),
    { numRuns: numberOfCases(12), seed, endOnFailure: true },
  )
})

test('one scan has its result, and its scripts where the page is a payment page', async () => {
  const listed = pageIds.flatMap((pageId) => oracleScans(scans, pageId).slice(0, 10))
  for (const expected of listed) {
    const { data } = await get(`${listPath(expected.pageId)}/${expected.id}`)
    const { result, scripts } = scans.find(({ id }) => id === expected.id) ?? {}
    expect(data).toEqual({ ...expected, result, scripts: expected.pageId === pageIds[1] ? null : scripts })
  }
})

test('a monitored page has the facts of its latest scan', async () => {
  const { data } = await get(`/v1/sites/${siteId}/pages`)
  expect(data).toHaveLength(pageIds.length + 1)
  for (const { id: pageId, latestScan } of data) {
    const [latest] = oracleScans(scans, pageId)
    if (!latest) {
      expect(latestScan).toBeNull()
      continue
    }
    const { id, scannedAt, status, grade, failureReason, consecutiveFailures, changes } = latest
    expect(latestScan).toEqual({ id, scannedAt, status, grade, failureReason, consecutiveFailures, changes })
  }
})

test('evidence is every scan since a moment that found a header changed or the grade dropped', async () => {
  const database = connectPatiently(inject('servers').readUrl)
  const { read, readAll } = toReader(database.read)
  for (const days of [1, 30, 200, 500]) {
    const since = new Date(seed - days * dayMs)
    const refs = await read(listScanEvidence(tenantId, [...pageIds, randomUUID()], since))
    const found = await readScans(readAll, tenantId, refs)
    const expected = pageIds
      .flatMap((pageId) => oracleScans(scans, pageId))
      .filter((scan) => isChanged(scan) && scan.scannedAt >= since.toISOString())
      .sort((a, b) => (a.scannedAt > b.scannedAt || (a.scannedAt === b.scannedAt && a.id > b.id) ? -1 : 1))
    expect(found.filter(isChanged)).toEqual(expected)
  }
  await database.close()
})

test('a response of the API can be imported, and changes nothing', async () => {
  const ids = oracleScans(scans, paymentId).map(({ id }) => id)
  async function read() {
    const responses: object[] = []
    for (const id of ids.slice(0, 25)) responses.push((await get(`${listPath(paymentId)}/${id}`)).data)
    return responses
  }
  const before = await read()
  await api.importRecords(tenantId, scanType, before)
  expect(await read()).toEqual(before)
})

describe('a page without a complete scan', () => {
  test('has no latestComplete, and counts every failure', async () => {
    const [id, at] = [randomUUID(), Date.now()]
    await api.importRecords(tenantId, monitoredPages, [page(id, siteId, 'other')])
    const empty = await get(listPath(id))
    expect(empty).toEqual({ data: [], truncated: false, nextCursor: null })
    const failed = scans.filter(({ status }) => status === 'failed').slice(0, 5)
    const made = failed.map((scan, index) => {
      return { ...scan, id: randomUUID(), pageId: id, scannedAt: new Date(at + index).toISOString() }
    })
    await api.importRecords(tenantId, scanType, made)
    const body = await get(`${listPath(id)}?limit=2`)
    expect(body).not.toHaveProperty('latestComplete')
    expect(body.data.map(({ consecutiveFailures }: { consecutiveFailures: number }) => consecutiveFailures)).toEqual([
      5, 4,
    ])
  })
})

describe('scripts', () => {
  const withScripts = () =>
    scans.find(({ pageId, scripts }) => pageId === paymentId && (scripts?.length ?? 0) > 0) ?? { id: '' }

  test('are hidden on a plan without script authorization', async () => {
    const path = `${listPath(paymentId)}/${withScripts().id}`
    expect((await get(path)).data.scripts).not.toBeNull()
    const tenant = { keyLimit: 1_000, tenantLimit: 1_000 }
    const professional = await api.createTenant({ plan: 'professional', overrides: tenant })
    const ownSite = await api.createSite(professional)
    await api.importRecords(professional, monitoredPages, [page(paymentId, ownSite, 'payment')])
    await api.importRecords(professional, scanType, [withScripts()])
    const ownPath = `/v1/sites/${ownSite}/pages/${paymentId}/scans/${withScripts().id}`
    const { data } = await get(ownPath, { key: await api.createKey(professional) })
    expect(data.scripts).toBeNull()
    expect(data.result).not.toBeNull()
  })
})

test('a complete scan imported again without its scripts has them, and a failed scan has none', async () => {
  const own = scans.filter((scan) => scan.pageId === paymentId && (scan.scripts?.length ?? 0) > 0).slice(0, 2)
  const [kept, failed] = own.map((scan) => ({ ...scan, id: randomUUID() })) as [ScanRecord, ScanRecord]
  const scriptsOf = async ({ id }: ScanRecord) => (await get(`${listPath(paymentId)}/${id}`)).data.scripts
  await api.importRecords(tenantId, scanType, [kept, failed])
  for (const again of [[{ ...kept, scripts: null }], [kept, { ...kept, grade: 'F', scripts: null }]]) {
    await api.importRecords(tenantId, scanType, again)
    expect(await scriptsOf(kept)).toEqual(kept.scripts)
  }
  const { id, pageId, scannedAt } = failed
  await api.importRecords(tenantId, scanType, [failedScan({ id, pageId, scannedAt })])
  expect(await scriptsOf(failed)).toBeNull()
  await api.importRecords(tenantId, scanType, [{ ...kept, scripts: [] }])
  expect(await scriptsOf(kept)).toEqual([])
})

describe('a scan or page that does not exist', () => {
  test('a scan of another page, and a page of another site, are not found', async () => {
    const ofOther = scans.find(({ pageId }) => pageId === pageIds[2])?.id
    const own = scans.find(({ pageId }) => pageId === paymentId)?.id
    const paths = [
      `${listPath(paymentId)}/${ofOther}`,
      `${listPath(paymentId)}/${randomUUID()}`,
      listPath(randomUUID()),
      `/v1/sites/${otherSiteId}/pages/${paymentId}/scans`,
      `/v1/sites/${otherSiteId}/pages/${paymentId}/scans/${own}`,
    ]
    expect(await api.get(`${listPath(paymentId)}/${own}`, { key })).toMatchObject({ status: 200 })
    for (const path of paths) {
      expect(await api.get(path, { key })).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    }
  })
})
