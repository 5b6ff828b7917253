import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { alertDeliveries } from '../../../app/import/records/types/alert-deliveries.ts'
import { randomReports } from '../../../fixtures/reports.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { hourMs } from '../../../schema/durations.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { dashboard, openDashboard, readProvisioned } from '../../support/grafana.ts'
import { connectPatiently } from '../../support/patience.ts'

const hour = Math.floor(Date.now() / hourMs) * hourMs
const [from, to] = [new Date(hour - 48 * hourMs), new Date(hour)]
const [, ...variables] = dashboard.templating.list

let api: TestApi
let analyst: Database
let tenantId: string
let siteIds: [string, string]

beforeAll(async () => {
  api = await startApi()
  analyst = connectPatiently(inject('servers').analystUrl)
  tenantId = await api.createTenant({ name: "O'Hara \\ Sons" })
  siteIds = [await api.createSite(tenantId, { name: 'One' }), await api.createSite(tenantId, { name: "Two's" })]
  await api.insertReports(randomReports({ seed: 37, count: 1_000, tenantId, siteIds, from, to }))
  await api.importRecords(tenantId, alertDeliveries, [{ ...alertDeliveries.example, createdAt: from.toISOString() }])
})

afterAll(() => Promise.all([api?.close(), analyst?.close()]))

const read = () => openDashboard(analyst, from, to, () => tenantId)

describe('the dashboard', () => {
  test('has panels with ids of their own that do not overlap on 24 columns', () => {
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
  })

  test('quotes each variable, and reads one tenant within the time range in each panel', () => {
    const statements = [
      ...dashboard.panels.map(({ targets: [{ rawSql }] }) => rawSql),
      ...variables.map(({ query }) => query),
    ]
    for (const statement of statements) {
      expect(statement.replace(/\$\{\w+:singlequote\}/g, '').replaceAll(', $site)', '')).not.toMatch(/\$\{|\$[a-z]/)
    }
    for (const { title, targets } of dashboard.panels) {
      const [{ rawSql }] = targets
      expect(rawSql, title).toContain(`WHERE tenant_id = \${tenant:singlequote} AND `)
      expect(rawSql, title).toMatch(/\$__timeFilter_ms\((received|created)_at\)|day <= \$__toTime.*>= \$__fromTime/s)
    }
  })

  test.each(dashboard.panels)('$title has rows, and time series in order of time', async ({ title, type }) => {
    const rows = await read().rowsOf(title)
    expect(rows.length).toBeGreaterThan(0)
    for (const value of rows.flat()) expect(value).not.toBeNull()
    if (type !== 'timeseries') return
    const times = rows.map(([time]) => String(time))
    expect(times).toEqual(times.toSorted())
    expect(Date.parse(`${times[0]}Z`) % hourMs).toBe(0)
  })

  test('offers the tenants and the sites of the chosen one, ids as values and names as labels', async () => {
    const [tenants, sites] = await Promise.all(variables.map(({ query }) => read().run(query)))
    expect(variables.map(({ name, definition, query }) => [name, definition === query])).toEqual([
      ['tenant', true],
      ['site', true],
    ])
    expect(tenants).toContainEqual([tenantId, "O'Hara \\ Sons"])
    expect(sites).toEqual([
      [siteIds[0], 'One'],
      [siteIds[1], "Two's"],
    ])
  })

  test('a quote in a variable of the address reaches no other tenant', async () => {
    const hostile = "' OR 1=1 OR tenant_id = '"
    await expect(read().rowsOf('Reports', { tenant: hostile })).rejects.toThrow(/UUID/)
    await expect(read().rowsOf('Reports', { site: [siteIds[0], hostile] })).rejects.toThrow(/UUID/)
  })
})

test('the data source is the analyst’s, with the password of the environment', () => {
  const [source] = parse(readProvisioned('datasources/clickhouse.yaml')).datasources
  expect(source).toMatchObject({
    type: 'grafana-clickhouse-datasource',
    jsonData: {
      host: '$CLICKHOUSE_HOST',
      port: 8123,
      protocol: 'http',
      username: 'analyst',
      defaultDatabase: 'default',
    },
    secureJsonData: { password: '$ANALYST_PASSWORD' },
  })
  const [provider] = parse(readProvisioned('dashboards/provider.yaml')).providers
  expect(provider).toMatchObject({ type: 'file', options: { path: '/etc/grafana/provisioning/dashboards' } })
})
