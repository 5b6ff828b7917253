import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueTypeNames, type ReportType } from '../../../schema/report-types.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { oracleIssueId, oracleIssuePages, oracleIssues } from '../../oracles/issue-oracle.ts'
import { now, retentionFrom, runs, startOracleWorld, windowParams, windows } from '../../oracles/oracle-world.ts'
import { oracleList } from '../../oracles/report-oracle.ts'
import type { TestApi } from '../../support/api.ts'
import { readPages } from '../../support/read-pages.ts'
import { issueFilters } from '../../support/report-requests.ts'
import type { TestKey } from '../../support/tenants.ts'

let api: TestApi
let key: TestKey
let siteIds: readonly string[]
let rows: readonly StoredReport[]

beforeAll(async () => {
  ;({ api, key, siteIds, rows } = await startOracleWorld({ count: 2_000, siteCount: 2 }))
})

afterAll(() => api?.close())

/** Two pages or three, whatever the limit drawn. */
const enough = (limit: number, items: number) => Math.min(200, Math.max(limit, Math.ceil((items + 1) / 2)))

describe('the API agrees with the oracle page by page, on random filters and unaligned windows', () => {
  test('issues, of all sites or of one', async () => {
    const types = fc.option(fc.shuffledSubarray([...issueTypeNames], { minLength: 1 }), { nil: undefined })
    const site = fc.option(fc.constantFrom(0, 1), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(
        windows,
        types,
        site,
        issueFilters(rows),
        fc.integer({ min: 1, max: 60 }),
        async (window, reportTypes, index, others, drawn) => {
          const siteId = index === undefined ? undefined : siteIds[index]
          const data = oracleIssues(rows, window, { siteId, reportTypes, others })
          const limit = enough(drawn, data.length)
          const params = { ...windowParams(window), reportType: reportTypes?.join(), limit, ...others }
          expect((await readPages(api, key, '/v1/issues', { ...params, siteId })).data).toEqual(data)
          if (!siteId) return
          const list = await readPages(api, key, `/v1/sites/${siteId}/issues`, { ...params, total: 'true' })
          expect(list.data).toEqual(data)
          expect(list.rest).toHaveProperty('issueCount', data.length)
        },
      ),
      runs(60),
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
      runs(15),
    )
  })

  test('the pages of an issue, over the whole retention', async () => {
    const ofIssues = rows.filter(({ reportType }) => (issueTypeNames as readonly string[]).includes(reportType))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ofIssues), fc.integer({ min: 1, max: 60 }), async (one, drawn) => {
        const id = oracleIssueId(one)
        const data = oracleIssuePages(rows.filter((row) => oracleIssueId(row) === id))
        const path = `/v1/sites/${one.siteId}/issues/${id}/pages`
        const limit = enough(drawn, data.length)
        expect((await readPages(api, key, path, { limit, reportType: one.reportType })).data).toEqual(data)
      }),
      runs(30),
    )
  })
})

describe.each(['reports', 'pages'])('the %s of an issue', (part) => {
  const reportsOf = (siteId: string, issueId: string, query = '') =>
    api.get(`/v1/sites/${siteId}/issues/${issueId}/${part}${query}`, { key })
  const csp = () => rows.find(({ reportType }) => reportType === 'csp-violation') as StoredReport
  const other = () => rows.find(({ reportType }) => reportType === 'coop') as StoredReport

  test('belong to csp-violation unless another type is named', async () => {
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

  test('accept neither a window nor a type without issues', async () => {
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
  const response = await api.get(`/v1/issues?reportType=${encodeURIComponent(types)}`, { key })
  expect(response.status).toBe(400)
  expect(response.body.error.message).toMatch(
    /^reportType must be a comma-separated list of issue types.*csp-violation.*connection-allowlist/,
  )
})

test('a type named twice counts once', async () => {
  const send = (types: string) => api.get(`/v1/issues?reportType=${types}&to=${new Date(now).toISOString()}`, { key })
  expect((await send('coep,coep')).body.data).toEqual((await send('coep')).body.data)
})
