import { pino } from 'pino'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { aReport } from '../../../fixtures/reports.ts'
import { seeded } from '../../../fixtures/seeded.ts'
import { uuidV7 } from '../../../fixtures/uuid-v7.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { dayMs } from '../../../schema/durations.ts'
import type { StoredReport } from '../../../schema/stored-report.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { queryRows } from '../../support/database.ts'
import { connectPatiently } from '../../support/patience.ts'
import { readPages } from '../../support/read-pages.ts'
import type { TestKey } from '../../support/tenants.ts'

const now = Date.now()
const random = seeded(1)

const host = 'rare.test'
const lines: string[] = []

let api: TestApi
let writer: Database
let tenantId: string
let siteId: string
let key: TestKey
let rare: StoredReport[]

beforeAll(async () => {
  writer = connectPatiently(inject('servers').writeUrl)
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
  api = await startApi({ log })
  tenantId = await api.createTenant({ overrides: { retentionDays: 90, keyLimit: 100_000, tenantLimit: 100_000 } })
  siteId = await api.createSite(tenantId)
  key = await api.createKey(tenantId)
  rare = [2, 17, 32].map((days) => {
    const receivedAt = now - days * dayMs
    return aReport({ tenantId, siteId, receivedAt, id: uuidV7(receivedAt, random), issueHost: host })
  })
  await api.insertReports(rare)
  // Sixty thousand reports of another issue, a minute apart, lie between those of this one.
  await writer.command(
    `INSERT INTO reports (tenant_id, site_id, report_type, received_at, id, retention_days, weight, sample_rate, issue_subject) SELECT '${tenantId}', '${siteId}', 'csp-violation', fromUnixTimestamp64Milli(${now - dayMs} - number * 60000), generateUUIDv4(), 365, 1000000, 1, 'img-src' FROM numbers(60000)`,
  )
})

afterAll(async () => {
  await Promise.all([api?.close(), writer?.close()])
})

const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

async function issueOf(host: string): Promise<string> {
  const { body } = await api.get(`/v1/sites/${siteId}/issues?from=${new Date(now - 4 * dayMs).toISOString()}`, { key })
  return body.data.find(({ targetHost }: { targetHost: string }) => targetHost === host).id
}

test.each(['reports', 'pages'])('the %s of a rare issue are read from its own days alone', async (part) => {
  const path = `/v1/sites/${siteId}/issues/${await issueOf(host)}/${part}`
  const { body } = await api.get(path, { key, headers: { 'X-Request-Id': `rare-${part}` } })
  if (part === 'reports') expect(ids(body.data)).toEqual(ids(rare))
  else expect(body.data).toMatchObject([{ reportCount: rare.length }])
  const [line] = lines.map((text) => JSON.parse(text)).filter(({ requestId }) => requestId === `rare-${part}`)
  // A granule or two for each of its three days.
  expect(line.rowsRead).toBeGreaterThan(0)
  expect(line.rowsRead).toBeLessThan(20_000)
})

test('the reports of an issue are all listed, even where its days count more than there are', async () => {
  // As where some reports of a day were stored for a shorter retention than others of that day.
  const counts =
    'tenant_id, report_type, site_id, issue_key, bucket, issue_subject, issue_host, report_count, first_seen_at, last_seen_at, retention_days'
  await writer.command(
    `INSERT INTO reports_per_day_by_issue (${counts}) SELECT ${counts.replace('report_count', '5')} FROM reports_per_day_by_issue WHERE tenant_id = '${tenantId}' AND issue_host = '${host}'`,
  )
  const path = `/v1/sites/${siteId}/issues/${await issueOf(host)}/reports`
  expect(ids((await readPages(api, key, path, { limit: 1 })).data)).toEqual(ids(rare))
})

test('an issue has the same id in every release', async () => {
  const own = { tenantId: '5ec0de00-0000-4000-8000-0000000000bb', siteId: '5ec0de00-0000-4000-8000-0000000001bb' }
  const fixed = { ...own, receivedAt: now }
  await api.insertReports([
    aReport({ ...fixed, issueSubject: 'img-src', issueHost: 'cdn.example.test' }),
    aReport({ ...fixed, reportType: 'coop', issueSubject: 'same-origin', issueHost: '' }),
  ])
  const keys = await queryRows(
    writer,
    `SELECT DISTINCT report_type, lower(hex(issue_key)) FROM reports WHERE tenant_id = '${fixed.tenantId}' ORDER BY report_type`,
  )
  expect(keys).toEqual([
    ['coop', '8be25fff9bc98ad6'],
    ['csp-violation', 'd8d7de9db3baaeb3'],
  ])
})
