import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { randomReports } from '../../../fixtures/reports.ts'
import { toClickHouseTime } from '../../../queries/sql/sql.ts'
import { dayMs } from '../../../schema/durations.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { queryRows } from '../../support/database.ts'
import { connectPatiently } from '../../support/patience.ts'
import type { TestKey } from '../../support/tenants.ts'

const now = Date.now()
const tickMs = 1_200_000

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
  // Times in common, so that the 10,000th report has the time of the next.
  rows = fill(11_000, 7, now - 5 * dayMs, now - dayMs).map((row) => ({
    ...row,
    receivedAt: row.receivedAt - (row.receivedAt % tickMs),
  }))
  await api.insertReports(rows)
})

afterAll(() => api?.close())

async function page(params: Record<string, string>) {
  const { status, body } = await api.get(`/v1/reports?${new URLSearchParams(params)}`, { key })
  expect(status).toBe(200)
  return body as {
    data: { id: string; receivedAt: string }[]
    truncated: boolean
    nextCursor: string | null
  }
}

async function countRows(from: string, to: string): Promise<number> {
  const database = connectPatiently(inject('servers').readUrl)
  const where = `tenant_id = '${tenantId}' AND received_at >= '${sqlTime(from)}' AND received_at < '${sqlTime(to)}'`
  const [[count] = []] = await queryRows(database, `SELECT count() FROM reports WHERE ${where}`)
  await database.close()
  return Number(count)
}

const sqlTime = (text: string) => toClickHouseTime(new Date(text))

describe('paging', () => {
  test('visits every row exactly once while rows are being inserted', async () => {
    const from = new Date(now - 2 * dayMs)
    const to = new Date(now - dayMs)
    const expected = rows.filter((row) => row.receivedAt >= from.getTime() && row.receivedAt < to.getTime())
    const seen: string[] = []
    let cursor: string | null = null
    let pages = 0
    do {
      const first = { from: from.toISOString(), to: to.toISOString() }
      const { data, nextCursor } = await page({
        limit: '200',
        ...(cursor ? { cursor } : first),
      })
      seen.push(...data.map(({ id }) => id))
      cursor = nextCursor
      // Newer than the whole window, and older: neither may shift a page.
      const [newer, older] = [fill(50, pages, now - dayMs, now), fill(50, pages, now - 4 * dayMs, now - 2 * dayMs - 1)]
      if (pages++ % 2 === 0) await api.insertReports([...newer, ...older])
    } while (cursor)
    expect(seen.length).toBeGreaterThan(1_000)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.sort()).toEqual(expected.map(({ id }) => id).sort())
  })

  test('returns 10,000 items of a query and never the next, and says so', async () => {
    const pages = []
    let cursor: string | null = null
    do {
      const read = await page({ limit: '200', ...(cursor && { cursor }) })
      pages.push(read)
      cursor = read.nextCursor
    } while (cursor)
    expect(pages.flatMap(({ data }) => data)).toHaveLength(10_000)
    expect(pages.map(({ truncated }) => truncated)).toEqual([...Array(49).fill(false), true])
  })

  test('goes on past the first 10,000 by its links, with every report once', async () => {
    const from = new Date(now - 6 * dayMs).toISOString()
    const to = new Date(now - dayMs + 1).toISOString()
    const seen: string[] = []
    let target: string | undefined = `/v1/reports?limit=200&from=${from}&to=${to}`
    while (target) {
      const { status, body, headers } = await api.get(target, { key })
      expect(status).toBe(200)
      seen.push(...body.data.map(({ id }: { id: string }) => id))
      const link = headers.get('Link')
      target = link?.match(/^<(.+)>; rel="next"$/)?.[1]
      expect(link === null).toBe(target === undefined)
    }
    const sent = await countRows(from, to)
    expect(sent).toBeGreaterThan(10_000)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toHaveLength(sent)
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
