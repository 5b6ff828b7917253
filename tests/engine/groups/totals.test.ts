import { afterAll, beforeAll, expect, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { minuteMs } from '../../../schema/durations.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { startApi, type TestApi } from '../../support/api.ts'

let api: TestApi
const now = Date.now()

beforeAll(async () => {
  api = await startApi({ now: () => new Date(now) })
})

afterAll(() => api?.close())

const groups = [
  ['crashes', 'crash', { pageCount: 1, groupCount: 2 }],
  ['network-errors', 'network-error', { originCount: 1, groupCount: 2 }],
  ['browser-changes', 'deprecation', { apiCount: 2, withRemovalDateCount: 0, soonestRemoval: null }],
] as const

test.each(groups)('a page of %s behind the last group has the totals of all', async (path, reportType, counts) => {
  const tenantId = await api.createTenant()
  const key = await api.createKey(tenantId)
  const insert = (...features: string[]) =>
    api.insertReports(
      features.map((feature, index): StoredReport => {
        const receivedAt = now - (index + 1) * minuteMs
        return aReport({ tenantId, reportType, feature, requestOrigin: 'https://a.test', receivedAt })
      }),
    )
  await insert('large', 'large', 'small')
  const first = await api.get(`/v1/${path}?limit=1`, { key })
  expect(first.body).toMatchObject({ data: [{ reportCount: 2 }], totals: { reportCount: 3, ...counts } })
  await insert('small', 'small')
  const second = await api.get(`/v1/${path}?limit=1&cursor=${first.body.nextCursor}`, { key })
  expect(second.body).toMatchObject({ data: [], totals: { reportCount: 5, ...counts }, nextCursor: null })
})

test.each(groups)('%s of a window without reports have totals of zero', async (path, _, counts) => {
  const key = await api.createKey(await api.createTenant())
  const { body } = await api.get(`/v1/${path}`, { key })
  const zeros = Object.keys(counts).map((name) => [name, name === 'soonestRemoval' ? null : 0])
  expect(body.data).toEqual([])
  expect(body.totals).toMatchObject({ reportCount: 0, estimatedReportCount: 0, ...Object.fromEntries(zeros) })
})
