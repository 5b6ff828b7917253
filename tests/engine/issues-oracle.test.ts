import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomReports } from '../../fixtures/reports.ts'
import { day } from '../../schema/durations.ts'
import { issueTypeNames, type ReportType } from '../../schema/report-types.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { oracleIssueId, oracleIssues } from '../support/issue-oracle.ts'
import { readPages } from '../support/read-pages.ts'
import { type OracleWindow, oracleList } from '../support/report-oracle.ts'
import { windowWithin } from '../support/report-questions.ts'
import type { TestKey } from '../support/tenants.ts'

const retentionDays = 62

const now = Date.now()
const retentionFrom = (Math.floor(now / day) - retentionDays) * day

let api: TestApi
let key: TestKey
let siteIds: string[]
let rows: StoredReport[]

beforeAll(async () => {
  api = await startApi({ now: () => new Date(now) })
  const overrides = { retentionDays, keyLimit: 1_000_000, tenantLimit: 1_000_000 }
  const [tenantId, strangerId] = await Promise.all([api.createTenant({ overrides }), api.createTenant({ overrides })])
  siteIds = await Promise.all([1, 2].map(() => api.createSite(tenantId)))
  key = await api.createKey(tenantId)
  rows = randomReports({ seed: now, count: 2_000, tenantId, siteIds, from: new Date(retentionFrom), to: new Date(now) })
  // Several inserts, so that a rollup's rows lie in several parts; a stranger has the same rows, sites included.
  const size = 1_000
  for (let at = 0; at < rows.length; at += size) await api.insertReports(rows.slice(at, at + size))
  await api.insertReports(rows.map((row) => ({ ...row, tenantId: strangerId })))
})

afterAll(() => api?.close())

const windows = fc.oneof(
  { weight: 3, arbitrary: windowWithin(retentionFrom, now, 31) },
  { weight: 1, arbitrary: windowWithin(retentionFrom, now, 1) },
)

const asked = ({ from, to }: OracleWindow) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })

/** Ends at the first difference, without looking for a smaller question: each costs requests. */
const runs = { numRuns: 24, seed: now, endOnFailure: true }

/** Few pages, whatever the limit drawn. */
const enough = (limit: number, items: number) => Math.min(200, Math.max(limit, Math.ceil((items + 1) / 4)))

describe('the API answers as the oracle does, page by page, on random filters and unaligned windows', () => {
  test('issues, of all sites or of one', async () => {
    const types = fc.option(fc.shuffledSubarray([...issueTypeNames], { minLength: 1 }), { nil: undefined })
    const site = fc.option(fc.constantFrom(0, 1), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(
        windows,
        types,
        site,
        fc.integer({ min: 1, max: 60 }),
        async (window, reportTypes, index, drawn) => {
          const siteId = index === undefined ? undefined : siteIds[index]
          const data = oracleIssues(rows, window, { siteId, reportTypes })
          const params = { ...asked(window), reportType: reportTypes?.join(), limit: enough(drawn, data.length) }
          expect((await readPages(api, key, '/v1/issues', { ...params, siteId })).data).toEqual(data)
          if (siteId) expect((await readPages(api, key, `/v1/sites/${siteId}/issues`, params)).data).toEqual(data)
        },
      ),
      runs,
    )
  })

  test('the reports of an issue, over the whole retention', async () => {
    const ofIssues = rows.filter(({ reportType }) => (issueTypeNames as readonly string[]).includes(reportType))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ofIssues), fc.integer({ min: 1, max: 60 }), async (one, drawn) => {
        const id = oracleIssueId(one)
        const own = rows.filter((row) => oracleIssueId(row) === id)
        const data = oracleList(own, { from: retentionFrom, to: now }, one.reportType as ReportType, {})
        const path = `/v1/sites/${one.siteId}/issues/${id}/reports`
        const limit = enough(drawn, data.length)
        const { reportType } = one
        expect((await readPages(api, key, path, { limit, reportType })).data).toEqual(data)
      }),
      { ...runs, numRuns: 15 },
    )
  })
})

describe('the reports of an issue', () => {
  const reportsOf = (siteId: string, issueId: string, query = '') =>
    api.get(`/v1/sites/${siteId}/issues/${issueId}/reports${query}`, { key })
  const csp = () => rows.find(({ reportType }) => reportType === 'csp-violation') as StoredReport
  const other = () => rows.find(({ reportType }) => reportType === 'coop') as StoredReport

  test('are those of csp-violation unless another type is named', async () => {
    expect(await reportsOf(csp().siteId, oracleIssueId(csp()))).toMatchObject({ status: 200 })
    expect(await reportsOf(other().siteId, oracleIssueId(other()))).toMatchObject({ status: 404 })
    expect(await reportsOf(other().siteId, oracleIssueId(other()), '?reportType=coop')).toMatchObject({ status: 200 })
  })

  test('are not found in another site, nor under an id that no issue has', async () => {
    const [id, elsewhere] = [oracleIssueId(csp()), siteIds.find((siteId) => siteId !== csp().siteId) ?? '']
    expect(await reportsOf(elsewhere, id)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    for (const wrong of ['0'.repeat(16), 'x', `${id}0`, id.toUpperCase().replace(/^\d*$/, 'A'), '%00']) {
      if (wrong !== id) expect(await reportsOf(csp().siteId, wrong)).toMatchObject({ status: 404 })
    }
  })

  test('take neither a window nor a type without issues', async () => {
    const refused = (words: string) => ({ status: 400, body: { error: { message: expect.stringContaining(words) } } })
    const [siteId, id] = [csp().siteId, oracleIssueId(csp())]
    expect(await reportsOf(siteId, id, '?from=2026-01-01T00:00:00Z')).toMatchObject(refused('"from"'))
    expect(await reportsOf(siteId, id, '?reportType=crash')).toMatchObject(refused('reportType'))
  })
})

test.each([
  '',
  ',',
  'csp-violation,',
  'crash',
  'csp-violation,crash',
  'CSP-VIOLATION',
  'coep coop',
  'coep,'.repeat(60),
])('a list of types %j is refused by its name, with what is allowed', async (types) => {
  const answered = await api.get(`/v1/issues?reportType=${encodeURIComponent(types)}`, { key })
  expect(answered.status).toBe(400)
  expect(answered.body.error.message).toMatch(/^reportType must be issue types.*csp-violation.*connection-allowlist/)
})

test('a type named twice counts once', async () => {
  const ask = (types: string) => api.get(`/v1/issues?reportType=${types}&to=${new Date(now).toISOString()}`, { key })
  expect((await ask('coep,coep')).body.data).toEqual((await ask('coep')).body.data)
})
