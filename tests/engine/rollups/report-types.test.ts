import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../../clickhouse/migrate.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { dimensionRows, fieldDimensions, isField } from '../../../schema/dimensions.ts'
import {
  browserChangeTypeNames,
  dimensionsOf,
  issueTypeNames,
  type ReportType,
  reportTypeNames,
} from '../../../schema/report-types.ts'
import { createDatabase, queryRows, type TestDatabase } from '../../support/database.ts'
import { createTenantWriter } from '../../support/tenants.ts'

/** Of every dimension its name, so that a view that reads another column is found as well. */
const values = Object.fromEntries(fieldDimensions.map((dimension) => [dimension, dimension]))
const { siteId } = aReport()
const blockedHostTypes = reportTypeNames.filter((type) => dimensionsOf(type).includes('blockedHost'))

let db: TestDatabase

beforeAll(async () => {
  db = await createDatabase()
  await migrate(db.writer)
  const reports = reportTypeNames.map((reportType) =>
    aReport({ ...values, siteId, reportType, receivedAt: Date.now() }),
  )
  await createTenantWriter(db.writer).insertReports(reports)
})

afterAll(() => db?.drop())

test.each([
  ['reports_per_hour_by_cube_value', true],
  ['reports_per_hour_by_value_time_ordered', false],
])('%s counts the values of its dimensions just for the types that carry them', async (table, low) => {
  const rows = await queryRows(
    db.writer,
    `SELECT report_type, dimension, value, sum(report_count) FROM ${table} GROUP BY ALL`,
  )
  const carried = reportTypeNames.flatMap((type) =>
    dimensionsOf(type)
      .filter((dimension) => isField(dimension) && (dimensionRows[dimension].lowCardinality ?? false) === low)
      .map((dimension) => [type, dimension, dimension === 'siteId' ? siteId : dimension, 1]),
  )
  expect(rows.toSorted()).toEqual(carried.toSorted())
})

test.each([
  ['reports_per_day_by_issue', issueTypeNames],
  ['browser_changes_per_day_by_page', browserChangeTypeNames],
  ['reports_per_day_by_blocked_host_cube', blockedHostTypes],
  ['reports_per_day_by_hosts', blockedHostTypes],
])('%s holds just the types of its queries', async (table, types) => {
  const rows = await queryRows(db.writer, `SELECT DISTINCT report_type FROM ${table}`)
  expect(rows.flat().toSorted()).toEqual(types.toSorted())
})

test('a type that only report_types names is counted by dimensions, issues and changes', async () => {
  const madeUp = 'made-up'
  await db.writer.command(`INSERT INTO report_types (report_type, dimensions, has_issues, is_browser_change)
    VALUES ('${madeUp}', ['feature', 'blockedHost'], true, true)`)
  await createTenantWriter(db.writer).insertReports([
    aReport({ ...values, siteId, reportType: madeUp as ReportType, receivedAt: Date.now() }),
  ])
  const held = async (table: string, columns: string) =>
    queryRows(
      db.writer,
      `SELECT ${columns}, sum(report_count) FROM ${table} WHERE report_type = '${madeUp}' GROUP BY ALL`,
    )
  const pair = 'dimension, value'
  expect(await held('reports_per_hour_by_cube_value', pair)).toEqual([['feature', 'feature', 1]])
  expect(await held('reports_per_hour_by_value', pair)).toEqual([['blockedHost', 'blockedHost', 1]])
  for (const table of [
    'reports_per_day_by_issue',
    'browser_changes_per_day_by_page',
    'browser_changes_per_day_by_entry',
    'reports_per_day_by_blocked_host_cube',
    'reports_per_day_by_hosts',
  ]) {
    expect(await held(table, 'report_type'), table).toEqual([[madeUp, 1]])
  }
})
