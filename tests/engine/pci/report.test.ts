import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs } from '../../../schema/durations.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { createReportSite, type ReportSite } from '../../support/pci-report-site.ts'

let api: TestApi
let site: ReportSite

beforeAll(async () => {
  api = await startApi()
  site = await createReportSite(api, 'Shop')
})

afterAll(() => api?.close())

const get = (query: Readonly<Record<string, string>> = {}, key = site.key, siteId = site.world.siteId) =>
  api.get(`/v1/compliance/pci-dss/report?${new URLSearchParams({ siteId, ...query })}`, { key })

const read = async (query?: Readonly<Record<string, string>>): Promise<PciReport> => (await get(query)).body.data

test('the hash is of the evidence alone, and another program computes it', async () => {
  const { evidence, evidenceHash } = await read()
  expect(hash('sha256', canonicalize(evidence) ?? '', 'hex')).toBe(evidenceHash)
})

test('the same time twice is the same bytes but for the time of generation', async () => {
  const asOf = (await read()).evidence.asOf
  for (const format of ['json', 'html']) {
    const [one, two] = [await get({ asOf, format }), await get({ asOf, format })]
    const lasting = ({ text }: { readonly text: string }) =>
      text.replace(/"generatedAt":"[^"]+"|Generated [\d: -]+/, '')
    expect(lasting(two)).toBe(lasting(one))
  }
})

test('a poll of one asOf is a 304, as the ETag is weak and of all but the time of generation', async () => {
  const asOf = (await read()).evidence.asOf
  const path = `/v1/compliance/pci-dss/report?${new URLSearchParams({ siteId: site.world.siteId, asOf })}`
  const etag = (await api.get(path, { key: site.key })).headers.get('ETag') ?? ''
  expect(etag).toMatch(/^W\/"/)
  expect((await api.get(path, { key: site.key, headers: { 'If-None-Match': etag } })).status).toBe(304)
})

test('the verdicts are those of the readiness, with a sentence for each gap and what closes it', async () => {
  const { body } = await api.get(`/v1/compliance/pci-dss?siteId=${site.world.siteId}`, { key: site.key })
  const { requirements, observed } = await read()
  const own = requirements.map(({ title: _, text: __, summary: ___, gaps, ...verdict }) => ({
    ...verdict,
    gaps: gaps.map(({ sentence, remedy, ...gap }) => {
      expect([sentence, remedy].every((words) => /^[A-Z\d].+\.$/.test(words))).toBe(true)
      return gap
    }),
  }))
  expect(own).toEqual(body.data.requirements)
  expect(requirements.map(({ summary }) => summary)).toEqual([
    'On 2 payment pages: 2 authorized + 0 not reviewed + 0 rejected = 2 scripts.',
    'Watched: 2 of 2 payment pages. Changes in 30 days: 1 alerted within a day + 0 acknowledged + 2 not = 3. Changes of scripts: 0 + 0 + 0 not = 0. Unavailable: 0 payment pages. Inline scripts not comparable: 0 payment pages. Longest time between scans: 2.9 days. Destinations: 1, 0 failing, 0 without a delivery in 30 days.',
  ])
  expect(
    observed.scripts.map(
      ({ hashes: _, firstSeenAt: __, lastSeenAt: ___, seenBy: ____, owner, reviewBy, method, ...script }) => {
        expect([owner, reviewBy]).toEqual([null, null])
        expect(method).toBe(script.coverage.state === 'protected' ? 'Integrity-Policy' : 'none')
        return script
      },
    ),
  ).toEqual(body.data.evidence.scripts)
  expect(observed.integrity).toEqual({ protected: 1, unprotected: 1, unknown: 0 })
  expect(observed.uninventoried.map(({ url }) => url)).toEqual(['https://shop.example.test/js/new.js'])
})

test('a change has both values, and the alert with its delivery', async () => {
  const { changes, deliveries, versions, pages } = (await read()).evidence
  const change = changes.find(({ gradeDroppedFrom }) => gradeDroppedFrom === 'A')
  expect(change?.headers).toEqual([
    {
      header: 'content-security-policy',
      change: 'changed',
      before: "default-src 'self'; frame-src https://c.test",
      after: "default-src 'self'; frame-src https://b.test",
    },
  ])
  expect(change?.gradeDroppedFrom).toBe('A')
  expect(deliveries.map(({ outcome }) => outcome)).toEqual(['rejected', 'delivered'])
  expect(change).toMatchObject({ alertIds: [deliveries[1]?.alertId], failedAlertIds: [] })
  expect(changes.at(-1)).toMatchObject({ alertIds: [], failedAlertIds: [deliveries[0]?.alertId] })
  expect(versions).toHaveLength(1)
  expect(Date.parse(versions[0]?.lastSeenAt ?? '') - Date.parse(versions[0]?.firstSeenAt ?? '')).toBe(2 * dayMs)
  expect(pages.map(({ completeScans }) => completeScans)).toEqual([4, 1])
})

test.each([
  [{ asOf: new Date(Date.now() + dayMs).toISOString() }, 'asOf must not be in the future'],
  [{ asOf: '2020-01-01T00:00:00Z' }, 'asOf must not be before the site was recorded'],
  [{ asOf: 'yesterday' }, 'asOf must be an RFC 3339 date-time'],
  [{ format: 'csv' }, 'table is required with format=csv and allowed only with it: scripts or changes'],
  [{ table: 'scripts' }, 'table is required with format=csv'],
])('%j is a bad request: %s', async (query, message) => {
  const { status, body } = await get(query as Readonly<Record<string, string>>)
  expect([status, body.error.code]).toEqual([400, 'bad_request'])
  expect(body.error.message).toContain(message)
})

test('a time before the site is refused with the earliest one, which is taken', async () => {
  const { body } = await get({ asOf: '2020-01-01T00:00:00Z' })
  const [earliest = ''] = /(?<=the earliest is )[\dT:.-]+Z$/.exec(body.error.message) ?? []
  const before = new Date(Date.parse(earliest) - 1).toISOString()
  expect([(await get({ asOf: earliest })).status, (await get({ asOf: before })).status]).toEqual([200, 400])
})

test('a foreign site is not found, and a narrowed key reads its own site alone', async () => {
  const other = await api.createKey(await api.createTenant())
  expect((await get({}, other)).status).toBe(404)
  const own = await api.createKey(site.tenantId, { siteId: site.world.siteId })
  expect((await api.get('/v1/compliance/pci-dss/report', { key: own })).body.data.evidence.site.id).toBe(
    site.world.siteId,
  )
  expect((await get({}, own, await api.createSite(site.tenantId))).status).toBe(404)
})
