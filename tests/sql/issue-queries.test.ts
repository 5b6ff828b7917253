import { describe, expect, test } from 'vitest'
import { listFirstSightings } from '../../queries/issues/first-sightings.ts'
import { listIssuePages } from '../../queries/issues/issue-details.ts'
import { countIssues, listNewIssues } from '../../queries/issues/issues.ts'
import type { Query } from '../../queries/sql/query.ts'
import { render } from '../../queries/sql/sql.ts'
import { dayMs } from '../../schema/durations.ts'
import { sqlText } from '../support/sql-text.ts'

const tenant = '11111111-1111-4111-8111-111111111111'
const site = '22222222-2222-4222-8222-222222222222'
const window = { from: 0, to: dayMs }
const owner = { tenantId: tenant, siteId: site, reportTypes: ['csp-violation', 'coep'] as const }

const rendered = (query: Query<unknown>) => ({ text: sqlText(query), params: render(query.statement).params })

describe('the statement of issues', () => {
  test('the pages of an issue are its raw rows at the times it was reported, after a position', () => {
    const ranges = [{ from: 5, to: 9 }]
    const filter = { ...owner, window, reportTypes: ['coep'] as const }
    const query = listIssuePages(filter, { issueKey: 7n, ranges }, { after: { weight: '5', key: '8' }, limit: 3 })
    expect(rendered(query)).toEqual({
      text: "SELECT toString(group_key) AS key, sum(slice_reportCount) AS reportCount, toString(sum(slice_weight)) AS weight, min(slice_firstSeen) AS firstSeen, max(slice_lastSeen) AS lastSeen, any(slice_page) AS page FROM (SELECT halfMD5(cutQueryString(document_url)) AS group_key, count() AS slice_reportCount, sum(weight) AS slice_weight, min(received_at) AS slice_firstSeen, max(received_at) AS slice_lastSeen, any(cutQueryString(document_url)) AS slice_page FROM reports WHERE tenant_id = {p0:UUID} AND report_type IN {p1:Array(String)} AND site_id = {p2:UUID} AND (received_at >= {p3:DateTime64(3, 'UTC')} AND received_at < {p4:DateTime64(3, 'UTC')}) AND issue_key = {p5:UInt64} AND (received_at >= {p6:DateTime64(3, 'UTC')} AND received_at < {p7:DateTime64(3, 'UTC')}) GROUP BY group_key) GROUP BY group_key HAVING (sum(slice_weight) < {p8:UInt64} OR (sum(slice_weight) = {p8:UInt64} AND group_key > {p9:UInt64})) ORDER BY sum(slice_weight) DESC, group_key LIMIT {p10:UInt64}",
      params: {
        p0: tenant,
        p1: ['coep'],
        p2: site,
        p3: '1970-01-01 00:00:00.000',
        p4: '1970-01-02 00:00:00.000',
        p5: '7',
        p6: '1970-01-01 00:00:00.005',
        p7: '1970-01-01 00:00:00.009',
        p8: '5',
        p9: '8',
        p10: '3',
      },
    })
  })

  test('new issues are ranked by their first sightings, without a report', () => {
    expect(rendered(listNewIssues(owner, window, 51))).toEqual({
      text: "SELECT toString(issue_key) AS key, site_id AS siteId, report_type AS reportType, first_seen_at AS firstSeenEver, last_seen_at AS lastSeen FROM issue_first_seen FINAL WHERE tenant_id = {p0:UUID} AND report_type IN {p1:Array(String)} AND site_id = {p2:UUID} AND first_seen_at >= {p3:DateTime64(3, 'UTC')} AND first_seen_at < {p4:DateTime64(3, 'UTC')} ORDER BY lastSeen DESC, issue_key LIMIT {p5:UInt64}",
      params: {
        p0: tenant,
        p1: ['csp-violation', 'coep'],
        p2: site,
        p3: '1970-01-01 00:00:00.000',
        p4: '1970-01-02 00:00:00.000',
        p5: '51',
      },
    })
  })

  test('first sightings of a page are those of its issues; without an issue there is no statement', () => {
    expect(listFirstSightings(tenant, [])).toEqual([])
    const issue = { siteId: site, reportType: 'coep', key: 7n } as const
    expect(listFirstSightings(tenant, [issue]).map(rendered)).toEqual([
      {
        text: 'SELECT toString(issue_key) AS key, min(first_seen_at) AS firstSeenEver FROM issue_first_seen WHERE tenant_id = {p0:UUID} AND (report_type, site_id, issue_key) IN arrayZip({p1:Array(String)}, {p2:Array(UUID)}, {p3:Array(UInt64)}) GROUP BY issue_key',
        params: { p0: tenant, p1: ['coep'], p2: [site], p3: '[7]' },
      },
    ])
  })

  test('a count of issues merges nothing but what its conditions need', () => {
    expect(sqlText(countIssues({ ...owner, window }))).toBe(
      "SELECT count() AS issueCount FROM (SELECT toString(group_key) AS key, max(slice_lastSeen) AS lastSeen FROM (SELECT issue_key AS group_key, max(last_seen_at) AS slice_lastSeen FROM reports_per_day_by_issue WHERE tenant_id = {p0:UUID} AND report_type IN {p1:Array(String)} AND site_id = {p2:UUID} AND (bucket >= {p3:DateTime('UTC')} AND bucket < {p4:DateTime('UTC')}) GROUP BY group_key) GROUP BY group_key)",
    )
    const some = sqlText(countIssues({ ...owner, window, noise: false, confidence: ['high'] }))
    expect(some).toContain('maxIf(last_seen_at, noise = {p0:Bool}) AS slice_lastSeen, ')
    expect(some).toMatch(/ GROUP BY group_key HAVING lastSeen > .* AND multiIf\(.*\) IN \{p\d+:Array\(String\)\}\)$/)
  })
})
