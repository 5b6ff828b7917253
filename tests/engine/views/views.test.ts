import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { randomReports } from '../../../fixtures/reports.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { dayMs } from '../../../schema/durations.ts'
import { reportTypeNames } from '../../../schema/report-types.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { queryRows } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import { connectPatiently } from '../../support/patience.ts'
import { readPages } from '../../support/read-pages.ts'
import type { TestKey } from '../../support/tenants.ts'

const now = new Date()
const from = new Date(Math.floor(now.getTime() / dayMs - 10) * dayMs)
const window = { from: from.toISOString(), to: now.toISOString() }

let api: TestApi
let reader: Database
let key: TestKey
let tenantId: string

beforeAll(async () => {
  api = await startApi({ now: () => now })
  reader = connectPatiently(inject('servers').readUrl)
  tenantId = await api.createTenant({ name: 'Named' })
  key = await api.createKey(tenantId)
  const siteIds = [await api.createSite(tenantId, { name: 'One' }), await api.createSite(tenantId, { name: 'Two' })]
  await api.insertReports(randomReports({ seed: 7, count: 3_000, tenantId, siteIds, from, to: now }))
})

afterAll(() => Promise.all([api?.close(), reader?.close()]))

const rowsOf = (select: string, rest = '') => {
  const [columns, view] = select.split(' FROM ')
  return queryRows(reader, `SELECT ${columns} FROM ${view} WHERE tenant_id = '${tenantId}' ${rest}`)
}
const get = async (path: string) =>
  (await api.get(`${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(window)}`, { key })).body.data

describe('views count what the API counts', () => {
  test.each(['reports_named', 'reports_per_hour_named'])('%s by type', async (view) => {
    const ofView = await rowsOf(`report_type, toUInt64(round(sum(estimate))) FROM ${view}`, 'GROUP BY report_type')
    const ofApi = (await get('/v1/reports/types')).map((type: Record<string, unknown>) => [
      type.reportType,
      type.estimatedReportCount,
    ])
    expect(ofApi.length).toBeGreaterThan(5)
    expect(ofView.sort()).toEqual(ofApi.sort())
  })

  test.each(reportTypeNames)('%s reports, in number and estimate', async (type) => {
    const { reportCount, estimatedReportCount } = await get(`/v1/reports/count?reportType=${type}`)
    const estimate = 'toUInt64(round(sum(estimate))), any(tenant_name)'
    const expected = [[reportCount, estimatedReportCount, 'Named']]
    const ofType = `AND report_type = '${type}'`
    expect(await rowsOf(`count(), ${estimate} FROM reports_named`, ofType)).toEqual(expected)
    expect(await rowsOf(`sum(report_count), ${estimate} FROM reports_per_hour_named`, ofType)).toEqual(expected)
  })

  test('no sighting of a script, though it is stored', async () => {
    expect(await rowsOf('count() > 0 FROM reports', "AND report_type = 'csp-hash'")).toEqual([[1]])
    for (const view of ['reports_named', 'reports_per_hour_named']) {
      const types = (await rowsOf(`DISTINCT report_type FROM ${view}`)).flat()
      expect(types.sort()).toEqual(reportTypeNames.toSorted())
    }
  })

  test('reports_named by site', async () => {
    const ofView = await rowsOf(
      'site_id, site_name, count() FROM reports_named',
      "AND report_type = 'csp-violation' GROUP BY ALL ORDER BY site_name",
    )
    expect(ofView.map(([, name]) => name)).toEqual(['One', 'Two'])
    for (const [siteId, , count] of ofView) {
      expect((await get(`/v1/reports/count?siteId=${siteId}`)).reportCount).toBe(count)
    }
  })

  test('issues_per_day_named, summed over the days', async () => {
    const { data } = await readPages(api, key, '/v1/issues', { ...window, limit: 200 })
    const ofApi = data.map((issue) => [
      ...[issue.id, issue.siteId, issue.reportType, issue.subject, issue.targetHost, issue.reportCount],
      ...[issue.estimatedReportCount, issue.browserFamilyCount, issue.confidence === 'suppressed'],
      ...[Date.parse(issue.firstSeen), Date.parse(issue.lastSeen)],
    ])
    const ofView = await rowsOf(
      `issue_id, site_id, report_type, any(issue_subject), any(issue_host), sum(report_count),
       toUInt64(round(sum(estimate))), length(groupUniqArrayArray(browsers)), min(noise),
       toUnixTimestamp64Milli(min(first_seen_at)), toUnixTimestamp64Milli(max(last_seen_at)) FROM issues_per_day_named`,
      'GROUP BY issue_id, site_id, report_type',
    )
    expect(ofApi.length).toBeGreaterThan(20)
    expect(ofView.sort()).toEqual(ofApi.sort())
  })

  test('an issue has one id in both views', async () => {
    const [[id, count] = []] = await rowsOf(
      'issue_id, sum(report_count) FROM issues_per_day_named',
      'GROUP BY issue_id ORDER BY 2 DESC LIMIT 1',
    )
    expect(await rowsOf('count() FROM reports_named', `AND issue_id = '${id}'`)).toEqual([[count]])
  })
})

describe('a new table or column is in a view, or here with the reason why not', () => {
  /** Tables of records and rollups that no view reads. */
  const rollupOfSame = 'a rollup of reports that the API selects for speed; reports_named has the same counts'
  const records = 'records with columns for people already'
  const versions = 'earlier versions of records, which the report of compliance reads as of a time'
  const secrets = 'keys and sealed addresses, of which people need no view'
  const internal = 'state of this program, which its commands show'
  const withoutView: Readonly<Record<string, string>> = {
    reports_per_hour_by_value: rollupOfSame,
    reports_per_hour_by_value_time_ordered: rollupOfSame,
    reports_per_day_by_value: rollupOfSame,
    reports_per_hour_by_cube: rollupOfSame,
    reports_per_day_by_cube: rollupOfSame,
    reports_per_hour_by_cube_value: rollupOfSame,
    reports_per_day_by_document_host_cube: rollupOfSame,
    reports_per_day_by_blocked_host_cube: rollupOfSame,
    reports_per_day_by_hosts: rollupOfSame,
    reports_per_day_by_pair: rollupOfSame,
    reports_per_day_by_page: rollupOfSame,
    reports_per_day_by_script: rollupOfSame,
    reports_per_day_by_source: rollupOfSame,
    crashes_per_day_by_group: rollupOfSame,
    network_errors_per_day_by_group: rollupOfSame,
    browser_changes_per_day_by_page: rollupOfSame,
    browser_changes_per_day_by_entry: rollupOfSame,
    script_versions: 'sightings of scripts, which the API lists but does not count',
    issue_first_seen: 'of issues that issues_per_day_named has, and of expired ones',
    tenants_history: versions,
    sites_history: versions,
    monitored_pages_history: versions,
    page_scans_history: versions,
    script_decisions_history: versions,
    source_decisions_history: versions,
    script_captures_history: versions,
    alert_rules_history: versions,
    alert_deliveries_history: versions,
    monitored_pages: records,
    page_scans: records,
    script_decisions: records,
    source_decisions: records,
    script_captures: records,
    library_files: records,
    library_advisories: records,
    alert_rules: records,
    alert_deliveries: records,
    alert_acknowledgements: records,
    alerts: 'messages on their way, whose outcomes are in alert_deliveries',
    alert_attempts: internal,
    alert_destinations: secrets,
    api_keys: secrets,
    retired_tokens: internal,
    report_types: internal,
    import_log: internal,
    import_log_by_time: internal,
    import_leases: internal,
    report_deletions: internal,
    script_versions_forgotten: internal,
    collector_logs: internal,
    schema_migrations: internal,
    migration_steps: internal,
  }

  test('every table', async () => {
    // In the shared database, `reports delete` of other files has work tables.
    const database = await createMigratedDatabase()
    const tables = await queryRows(
      database.writer,
      "SELECT name, engine, as_select FROM system.tables WHERE database = currentDatabase() AND engine != 'MaterializedView'",
    )
    await database.drop()
    const views = tables.filter(([name, engine]) => engine === 'View' && name !== 'api_key_by_hash')
    const read = views.flatMap(([, , definition]) =>
      [...String(definition).matchAll(/\b(?:FROM|JOIN) (?:\(SELECT [\w, ]+ FROM )?\w+\.(\w+)/g)].map(
        ([, table]) => table,
      ),
    )
    expect(new Set(read)).toEqual(
      new Set(['reports', 'reports_by_time', 'reports_per_day_by_issue', 'sites', 'tenants']),
    )
    const stored = tables.filter(([, engine]) => String(engine).endsWith('MergeTree')).map(([name]) => name)
    expect(stored.sort()).toEqual([...new Set(read), ...Object.keys(withoutView)].sort())
  })

  test('every column of reports', async () => {
    const withoutColumn: Readonly<Record<string, string>> = {
      retention_days: 'drives the TTL alone',
      weight: 'estimate, in millionths',
      issue_key: 'issue_id, as a number',
      policy_key: 'joins the rollup of pages to policies',
      script_hash: 'of csp-hash, which the view leaves out',
      reported_hash: 'of csp-hash, which the view leaves out',
      stored_at: 'the order of exports alone',
      context: 'JSON of pages, for one report at a time',
      rest: 'JSON of members without a column, for one report at a time',
    }
    const columnsOf = async (table: string) =>
      (
        await queryRows(
          reader,
          `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = '${table}'`,
        )
      ).flat()
    const added = ['tenant_name', 'site_name', 'estimate', 'issue_id']
    expect([...(await columnsOf('reports_named')), ...Object.keys(withoutColumn)].sort()).toEqual(
      [...(await columnsOf('reports')), ...added].sort(),
    )
  })
})

test('every view but the lookup of a key runs with the rights of its caller', async () => {
  const others = await queryRows(
    reader,
    `SELECT name FROM system.tables
     WHERE database = currentDatabase() AND engine = 'View' AND create_table_query NOT LIKE '%SQL SECURITY INVOKER%'`,
  )
  expect(others).toEqual([['api_key_by_hash']])
})
