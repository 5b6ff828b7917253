import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { alertDeliveries } from '../../../app/import/records/types/alert-deliveries.ts'
import { randomReports } from '../../../fixtures/reports.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { hourMs } from '../../../schema/durations.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { openDashboard } from '../../support/grafana.ts'
import { connectPatiently } from '../../support/patience.ts'
import { readPages } from '../../support/read-pages.ts'
import type { TestKey } from '../../support/tenants.ts'

const hour = Math.floor(Date.now() / hourMs) * hourMs
const [from, to] = [new Date(hour - 48 * hourMs), new Date(hour)]
const window = { from: from.toISOString(), to: to.toISOString() }

let api: TestApi
let analyst: Database
let key: TestKey
let rowsOf: ReturnType<typeof openDashboard>['rowsOf']
let tenantId: string
let siteIds: [string, string]
let stored: StoredReport[]

beforeAll(async () => {
  api = await startApi()
  analyst = connectPatiently(inject('servers').analystUrl)
  const otherTenant = await api.createTenant({ name: 'Other' })
  const otherSite = await api.createSite(otherTenant)
  tenantId = await api.createTenant()
  key = await api.createKey(tenantId)
  siteIds = [await api.createSite(tenantId, { name: 'One' }), await api.createSite(tenantId, { name: 'Two' })]
  // The macro's window includes its end, the API's does not.
  const times = { from, to: new Date(to.getTime() - 1000) }
  const reports = randomReports({ seed: 37, count: 3_000, tenantId, siteIds, ...times })
  await api.insertReports(reports)
  await api.insertReports(
    randomReports({ seed: 38, count: 100, tenantId: otherTenant, siteIds: [otherSite], ...times }),
  )
  rowsOf = openDashboard(analyst, from, to, () => tenantId).rowsOf
  stored = reports.filter(({ reportType }) => reportType !== 'csp-hash')
})

afterAll(() => Promise.all([api?.close(), analyst?.close()]))

const get = async (path: string) =>
  (await api.get(`${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(window)}`, { key })).body.data

/** Sums of the last column by the one before it. */
function sumBy(rows: readonly (readonly unknown[])[]): [string, number][] {
  const sums = new Map<string, number>()
  for (const row of rows) {
    const [name, count] = row.slice(-2) as [string, number]
    sums.set(name, (sums.get(name) ?? 0) + count)
  }
  return [...sums].sort()
}

describe('the dashboard’s numbers are the API’s', () => {
  test('in all and by type', async () => {
    const types: { reportType: string }[] = await get('/v1/reports/types')
    expect(types.length).toBeGreaterThan(5)
    const byType = await Promise.all(
      types.map(async ({ reportType }) => {
        const { reportCount, estimatedReportCount } = await get(`/v1/reports/count?reportType=${reportType}`)
        return [reportType, reportCount, estimatedReportCount]
      }),
    )
    expect((await rowsOf('Totals by type')).sort()).toEqual(byType.sort())
    expect(sumBy(await rowsOf('Reports by type'))).toEqual(byType.map(([type, count]) => [type, count]))
    const [[reports, estimated] = []] = await rowsOf('Reports')
    expect(reports).toBe(stored.length)
    expect(estimated).toBe(Math.round(stored.reduce((sum, { weight }) => sum + weight, 0) / 1e6))
    expect(await rowsOf('Sites that report')).toEqual([[2]])
  })

  test('of one site, and of a list of all', async () => {
    const [{ reportCount }, all] = [await get(`/v1/reports/count?siteId=${siteIds[1]}`), await rowsOf('Totals by type')]
    const ofSite = await rowsOf('Totals by type', { site: siteIds[1] })
    expect(ofSite.find(([type]) => type === 'csp-violation')?.[1]).toBe(reportCount)
    expect(ofSite).not.toEqual(all)
    expect(await rowsOf('Totals by type', { site: siteIds })).toEqual(all)
  })

  test('by hour', async () => {
    const { buckets } = await get('/v1/reports/histogram?bucketSize=1h')
    const ofApi = buckets
      .filter(({ reportCount }: { reportCount: number }) => reportCount > 0)
      .map(({ time, reportCount }: { time: string; reportCount: number }) => [Date.parse(time), reportCount])
    const rows = await rowsOf('Reports by type')
    const ofPanel = rows
      .filter(([, type]) => type === 'csp-violation')
      .map(([time, , count]) => [Date.parse(`${time}Z`), count])
    expect(ofPanel.length).toBeGreaterThan(10)
    expect(ofPanel).toEqual(ofApi)
  })

  test('by directive and blocked host', async () => {
    const groups = await get('/v1/reports/grouped?groupBy=directive,blockedHost&limit=50')
    const ofApi = groups.map(({ values, reportCount }: { values: string[]; reportCount: number }) => [
      ...values,
      reportCount,
    ])
    const ofPanel = (await rowsOf('Top directives and blocked hosts')).map((row) => row.slice(0, 3))
    expect(ofPanel.length).toBeGreaterThan(20)
    expect(ofPanel.map(([, , count]) => count)).toEqual(ofApi.map((row: unknown[]) => row[2]))
    const least = ofPanel.at(-1)?.[2] as number
    const above = (rows: readonly unknown[][]) => rows.filter((row) => (row[2] as number) > least).sort()
    expect(above(ofPanel)).toEqual(above(ofApi))
  })

  test('of issues, the newest first', async () => {
    const { data } = await readPages(api, key, '/v1/issues', { ...window, limit: 200 })
    const ofApi = data
      .filter(({ confidence }) => confidence !== 'suppressed')
      .map((issue) => [Date.parse(issue.firstSeen), issue.id, issue.reportCount, issue.estimatedReportCount])
      .sort(([a, idA], [b, idB]) => b - a || (idA < idB ? -1 : 1))
    const ofPanel = (await rowsOf('Newest issues')).map(([first, , , , , count, estimate, id]) => [
      Date.parse(`${first}Z`),
      id,
      count,
      estimate,
    ])
    expect(ofPanel).toHaveLength(50)
    expect(ofPanel).toEqual(ofApi.slice(0, 50))
  })

  test('of deliveries of alerts, the newest first', async () => {
    const outcomes = ['delivered', 'rejected', 'delivered'] as const
    const records = outcomes.map((outcome, index) => ({
      ...alertDeliveries.example,
      id: `delivery-${index}`,
      outcome,
      siteId: siteIds[index % 2],
      createdAt: new Date(from.getTime() + index * hourMs).toISOString(),
    }))
    await api.importRecords(tenantId, alertDeliveries, records)
    const { body } = await api.get('/v1/alert-deliveries', { key })
    const ofPanel = async (variables = {}) =>
      (await rowsOf('Newest alert deliveries', variables)).map(([, outcome, , , , , , id]) => [outcome, id])
    expect(await ofPanel()).toEqual(body.data.map(({ outcome, id }: (typeof records)[number]) => [outcome, id]))
    expect(await ofPanel({ site: siteIds[1] })).toEqual([['rejected', 'delivery-1']])
    expect(sumBy(await rowsOf('Alert deliveries by outcome'))).toEqual([
      ['delivered', 2],
      ['rejected', 1],
    ])
  })

  test.each([
    ['Crashes by reason', 'crash'],
    ['Network errors by type', 'network-error'],
  ])('%s', async (title, type) => {
    const groups = await get(`/v1/reports/grouped?reportType=${type}&groupBy=feature&limit=50`)
    const ofApi = groups.map(({ values: [value], reportCount }: { values: string[]; reportCount: number }) => [
      value || 'unknown',
      reportCount,
    ])
    expect(sumBy(await rowsOf(title))).toEqual(ofApi.sort())
  })

  test('of noise and of delays are those of the stored reports', async () => {
    const noise = stored.filter(({ noise }) => noise).length
    const [[share] = []] = await rowsOf('Noise')
    expect(share).toBeCloseTo(noise / stored.length, 9)
    const askedAt = Date.now()
    const [[age] = []] = await rowsOf('Age of the newest report')
    const newest = Math.max(...stored.map(({ receivedAt }) => receivedAt))
    const ageNow = (Date.now() - newest) / 1000
    expect(age).toBeLessThanOrEqual(ageNow + 1)
    expect(age).toBeGreaterThan(ageNow - (Date.now() - askedAt) / 1000 - 2)
    for (const [, median, p95] of (await rowsOf('Delay from browser to collector')) as [string, number, number][]) {
      expect(median).toBeLessThanOrEqual(p95)
      expect(p95).toBeLessThan(60)
    }
  })
})
