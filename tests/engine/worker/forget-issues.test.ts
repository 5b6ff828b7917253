import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetIssues } from '../../../app/worker/forget-issues.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { dayMs } from '../../../schema/durations.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import { createTenantWriter } from '../../support/tenants.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createMigratedDatabase()
})

afterAll(() => database?.drop())

test('first sightings remain for twice the retention of their tenant after the last report', async () => {
  const { createTenant, createSite, insertReports } = createTenantWriter(database.writer)
  const now = Date.UTC(2026, 10, 29, 12)
  const daysAgo = (tenantId: string, siteId: string, days: number, directive: string) =>
    aReport({
      tenantId,
      siteId,
      receivedAt: now - days * dayMs,
      id: crypto.randomUUID(),
      directive,
      issueSubject: directive,
    })
  const sites = await Promise.all(
    [30, 7].map(async (retentionDays) => {
      const tenantId = await createTenant({ overrides: { retentionDays } })
      return { tenantId, siteId: await createSite(tenantId) }
    }),
  )
  for (const { tenantId, siteId } of sites) {
    await insertReports([daysAgo(tenantId, siteId, 200, 'returns'), daysAgo(tenantId, siteId, 61, 'gone')])
    await insertReports([daysAgo(tenantId, siteId, 10, 'returns'), daysAgo(tenantId, siteId, 60, 'last-day')])
  }
  for (let pass = 0; pass < 2; pass++) {
    await forgetIssues({ database: database.writer, shards: () => [database.writer] }, new Date(now))
    const statement = (siteId: string) =>
      `SELECT count(), dateDiff('day', min(first_seen_at), toDateTime('2026-11-29 12:00:00', 'UTC'))
       FROM issue_first_seen FINAL WHERE site_id = '${siteId}'`
    expect(await queryRows(database.writer, statement(sites[0]?.siteId ?? ''))).toEqual([[2, 200]])
    expect(await queryRows(database.writer, statement(sites[1]?.siteId ?? ''))).toEqual([[1, 200]])
  }
})
