import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { randomReports } from '../../../fixtures/reports.ts'
import { connect } from '../../../queries/clickhouse/client.ts'
import { countReports } from '../../../queries/reports/count-reports.ts'
import { dayMs } from '../../../schema/durations.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import type { TestKey } from '../../support/tenants.ts'

const now = Date.now()

let api: TestApi
let key: TestKey
let tenantId: string
let siteIds: string[]
let rows: StoredReport[]

const fill = (count: number, seed: number, from: number, to: number) =>
  randomReports({
    count,
    seed,
    tenantId,
    siteIds,
    from: new Date(from),
    to: new Date(to),
  }).map((row): StoredReport => ({ ...row, reportType: 'csp-violation' }))

beforeAll(async () => {
  api = await startApi()
  tenantId = await api.createTenant({
    overrides: { retentionDays: 90, keyLimit: 100_000, tenantLimit: 100_000 },
  })
  siteIds = [await api.createSite(tenantId)]
  key = await api.createKey(tenantId)
  rows = fill(11_000, 7, now - 5 * dayMs, now - dayMs)
  await api.insertReports(rows)
})

afterAll(() => api?.close())

async function page(params: Record<string, string>) {
  const { status, body } = await api.get(`/v1/reports?${new URLSearchParams(params)}`, { key })
  expect(status).toBe(200)
  return body as {
    data: { id: string; receivedAt: string }[]
    nextCursor: string | null
  }
}

describe('paging', () => {
  test('visits every row exactly once while rows are being inserted', async () => {
    const from = new Date(now - 2 * dayMs)
    const to = new Date(now - dayMs)
    const expected = rows.filter((row) => row.receivedAt >= from.getTime() && row.receivedAt < to.getTime())
    const seen: string[] = []
    let cursor: string | null = null
    let seed = 100
    do {
      const first = { from: from.toISOString(), to: to.toISOString() }
      const { data, nextCursor } = await page({
        limit: '200',
        ...(cursor ? { cursor } : first),
      })
      seen.push(...data.map(({ id }) => id))
      cursor = nextCursor
      // Newer than the whole window, and older: neither may shift a page.
      await api.insertReports(fill(50, seed++, now - dayMs, now))
      await api.insertReports(fill(50, seed++, now - 4 * dayMs, now - 2 * dayMs - 1))
    } while (cursor)
    expect(seen.length).toBeGreaterThan(1_000)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.sort()).toEqual(expected.map(({ id }) => id).sort())
  })

  test('returns 10,000 items of a query and never the next', async () => {
    let cursor: string | undefined
    let items = 0
    let pages = 0
    do {
      const { data, nextCursor } = await page({
        limit: '200',
        ...(cursor && { cursor }),
      })
      items += data.length
      pages += 1
      cursor = nextCursor ?? undefined
    } while (cursor)
    expect([items, pages]).toEqual([10_000, 50])
  })

  test('has the window of its first page, whatever the default of to is later', async () => {
    const first = await page({ limit: '1' })
    await api.insertReports(fill(20, 999, now + 5_000, now + 10_000))
    const second = await page({ limit: '1', cursor: first.nextCursor ?? '' })
    expect(Date.parse(second.data[0]?.receivedAt ?? '')).toBeLessThanOrEqual(
      Date.parse(first.data[0]?.receivedAt ?? ''),
    )
  })
})

describe('the cost of a query', () => {
  test('over a month is rollup rows, and raw rows only at its edges', async () => {
    const database = connect(inject('servers').readUrl)
    const window = { from: now - 31 * dayMs, to: now }
    const filter = {
      reportType: 'csp-violation',
      terms: [{ dimension: 'browserName', value: 'Chrome' }],
    } as const
    const costs: number[] = []
    for (const query of countReports(tenantId, window, filter)) {
      await database.read(query, { onCost: ({ rowsRead }) => costs.push(rowsRead) })
    }
    await database.close()
    const read = costs.reduce((sum, one) => sum + one, 0)
    expect(read).toBeGreaterThan(0)
    // A granule at each end of each source is the least that can be read.
    expect(read).toBeLessThan(rows.length)
  })
})
