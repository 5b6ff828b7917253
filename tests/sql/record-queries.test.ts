import { describe, expect, test } from 'vitest'
import { listChangeDeliveries } from '../../queries/alerts/deliveries.ts'
import { listCoveringRules, listDestinationOutcomes } from '../../queries/alerts/destination-outcomes.ts'
import { listMonitoredPages } from '../../queries/pages/monitored-pages.ts'
import { paymentPageIds } from '../../queries/pages/payment-pages.ts'
import { asRecorded } from '../../queries/records/as-recorded.ts'
import { listImmutableFields, listPreservedColumn } from '../../queries/records/immutable-fields.ts'
import { listPageCoverage } from '../../queries/scans/counted-scans.ts'
import { listScanFindings } from '../../queries/scans/scan-evidence.ts'
import { listLatestScanRefs } from '../../queries/scans/scan-refs.ts'
import { countScansPerWeek } from '../../queries/scans/scans.ts'
import { listPaymentActivity } from '../../queries/scripts/activity.ts'
import { findAnyDecision, listScriptDecisions } from '../../queries/scripts/decisions.ts'
import { listScannedVersions } from '../../queries/scripts/scanned-versions.ts'
import { listScripts } from '../../queries/scripts/scripts.ts'
import type { Query } from '../../queries/sql/query.ts'
import { render, sql } from '../../queries/sql/sql.ts'
import { findSites } from '../../queries/tenants/sites.ts'
import { findTenant } from '../../queries/tenants/tenants.ts'
import { oneLine, sqlText } from '../support/sql-text.ts'
import { tablesRead } from '../support/tenant-scope.ts'

const tenant = '11111111-1111-4111-8111-111111111111'
const ids = ['22222222-2222-4222-8222-222222222222']

test('a lookup of stored records by id is scoped to the tenant', () => {
  expect(tablesRead(sqlText(listImmutableFields('page_scans', ['page_id'], { tenantId: tenant, ids })))).toEqual([
    { table: 'page_scans', isScoped: true },
  ])
  for (const withValue of [true, false]) {
    const kept = listPreservedColumn('page_scans', 'scripts', {
      around: sql`score > 1`,
      tenantId: tenant,
      ids,
      withValue,
    })
    expect(sqlText(kept)).toMatch(/FROM page_scans FINAL WHERE score > 1 AND tenant_id = \{p\d+:UUID\} AND /)
  }
})

test('a lookup of global records has no tenant condition', () => {
  expect(sqlText(listImmutableFields('library_files', ['hash'], { tenantId: undefined, ids }))).toMatch(
    /FROM library_files FINAL WHERE toString\(library_files\.id\) IN /,
  )
})

describe('as of a time', () => {
  const site = { tenantId: tenant, siteId: '33333333-3333-4333-8333-333333333333' }
  const time = new Date('2026-11-01T00:00:00Z')
  const window = { from: 0, to: time.getTime() }
  const filter = { ...site, window, hasPaymentPages: true }

  test('a table is its history by then, the latest version of each record, with the values of the query in place', () => {
    const { statement } = asRecorded(
      listMonitoredPages(tenant, site.siteId, { after: undefined, limit: 5 }),
      site,
      time,
    )
    expect(oneLine(render(statement).text)).toContain(
      'FROM (SELECT * FROM monitored_pages_history FINAL WHERE tenant_id = {p0:UUID} AND updated_at <= ' +
        "{p1:DateTime64(3, 'UTC')} AND site_id = {p2:UUID} ORDER BY updated_at DESC LIMIT 1 BY id) AS monitored_pages WHERE tenant_id = {p3:UUID}",
    )
    expect(statement.values.map(({ value }) => value)).toEqual([
      ...[tenant, '2026-11-01 00:00:00.000', site.siteId],
      ...[tenant, site.siteId, '5'],
    ])
  })

  test.each([
    listScripts(filter),
    listScanFindings(filter),
    listPaymentActivity(filter, true),
    listScriptDecisions(filter),
    listLatestScanRefs(tenant, paymentPageIds(site), 'complete'),
    listChangeDeliveries(site, { eventTypes: ['x'], since: time }),
    listCoveringRules(site),
    listDestinationOutcomes(tenant, ['x']),
    listPageCoverage(site, time),
    listScannedVersions(site, { since: time, limit: 5 }),
    countScansPerWeek(tenant, paymentPageIds(site), time),
    findAnyDecision(tenant),
    findTenant(tenant),
    findSites(tenant, [site.siteId]),
  ])('$name reads no record of later', (query) => {
    const text = oneLine(render(asRecorded(query as Query<unknown>, site, time).statement).text)
    const later =
      text.match(/\b(FROM|JOIN) (tenants|sites|monitored_pages|page_scans|script_decisions|alert_\w+) /g) ?? []
    expect(later.filter((read) => !read.endsWith('_history '))).toEqual([])
    expect(text).toContain('_history FINAL WHERE')
  })
})
