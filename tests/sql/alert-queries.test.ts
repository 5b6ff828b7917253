import { expect, test } from 'vitest'
import { insertAlert, listAlertedSubjects, listRecentAlerts } from '../../queries/alerts/alerts.ts'
import { listAlertRules, listDestinations, listWholeRules } from '../../queries/alerts/rules.ts'
import { listNewPolicySites } from '../../queries/csp-policies/csp-policies.ts'
import { listFirstDays, listIssueTexts, listNewSightings } from '../../queries/issues/new-sightings.ts'
import { listPageLabels } from '../../queries/pages/monitored-pages.ts'
import { listBursts, listLargest, listQuietSites } from '../../queries/reports/list-traffic-changes.ts'
import { findScanVersion } from '../../queries/scans/scans.ts'
import {
  listDecisions,
  listEarlierTags,
  listFirstVersions,
  listScriptChanges,
} from '../../queries/scripts/list-script-changes.ts'
import { render } from '../../queries/sql/sql.ts'
import { sqlText } from '../support/sql-text.ts'
import { tablesRead } from '../support/tenant-scope.ts'

const tenant = '11111111-1111-4111-8111-111111111111'
const site = '22222222-2222-4222-8222-222222222222'
const unbounded = { bounds: { minReports: 0, minBrowsers: 0 }, isBounded: true }
const time = new Date('2026-11-01T12:00:00.000Z')

test.each([
  listAlertedSubjects(tenant, ['a']),
  listRecentAlerts(tenant, time, time),
  listAlertRules(tenant),
  listWholeRules(tenant),
  listDestinations(tenant),
  listNewSightings(tenant, { since: time, wanted: [{ siteId: site, since: time }], ...unbounded }, 1),
  listFirstDays(tenant, time, 1),
  listIssueTexts(tenant, site, [1n]),
  listPageLabels(tenant, time),
  listNewPolicySites(tenant, time),
  listBursts(tenant, time, { over: 1, times: 1 }),
  listLargest(tenant, site, time),
  listQuietSites(tenant, time),
  findScanVersion(tenant),
  listScriptChanges({ tenantId: tenant, since: time }, 1),
  listEarlierTags(tenant, { pageIds: [tenant], urls: ['a'], since: time }),
  listDecisions(tenant, ['a']),
  listFirstVersions(tenant, ['a']),
])('$name reads rows of its tenant alone', (query) => {
  const read = tablesRead(sqlText(query))
  expect(read.length).toBeGreaterThan(0)
  expect(read.filter(({ isScoped }) => !isScoped)).toEqual([])
})

test('an alert is inserted only where neither it nor a subject of it is stored, and each of its texts is a bound value', () => {
  const hostile = "x') SELECT 1 --"
  const { text, params } = render(
    insertAlert({
      tenantId: tenant,
      id: site,
      kind: 'immediate',
      eventType: 'csp.new_issue',
      siteId: site,
      siteIds: [],
      subjects: [hostile],
      summary: hostile,
      payload: hostile,
      destinations: [hostile],
      digestTo: [],
      occurredAt: time,
      detectedAt: time,
    }),
  )
  expect(text).not.toContain('SELECT 1')
  expect(Object.values(params).flat()).toContain(hostile)
  expect(text.replaceAll(/\s+/g, ' ')).toMatch(
    /WHERE NOT \( SELECT count\(\) > 0 FROM alerts WHERE tenant_id = \{p\d+:UUID\} AND \(id = \{p\d+:UUID\} OR event_type = \{p\d+:String\} AND hasAny\(subjects, \{p\d+:Array\(String\)\}\)\)\)/,
  )
})
