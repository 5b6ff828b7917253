import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../clickhouse/migrate.ts'
import { aReport } from '../../fixtures/reports.ts'
import { dimensionNames, dimensionRows } from '../../schema/dimensions.ts'
import { dimensionsOf } from '../../schema/report-filter.ts'
import { browserChangeTypeNames, issueTypeNames, reportTypeNames } from '../../schema/report-types.ts'
import { askRows, createDatabase, type TestDatabase } from '../support/database.ts'
import { createTenantWriter } from '../support/tenants.ts'

/** Of every dimension its name, so that a view that reads another column is found as well. */
const values = Object.fromEntries(dimensionNames.map((dimension) => [dimension, dimension]))
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
  ['cube_value_counts_hour', true],
  ['value_counts_hour_by_time', false],
])('%s counts the values of its dimensions just for the types that carry them', async (table, low) => {
  const rows = await askRows(
    db.writer,
    `SELECT report_type, dimension, value, sum(report_count) FROM ${table} GROUP BY ALL`,
  )
  const carried = reportTypeNames.flatMap((type) =>
    dimensionsOf(type)
      .filter((dimension) => (dimensionRows[dimension].lowCardinality ?? false) === low)
      .map((dimension) => [type, dimension, dimension === 'siteId' ? siteId : dimension, 1]),
  )
  expect(rows.toSorted()).toEqual(carried.toSorted())
})

test.each([
  ['issues_day', issueTypeNames],
  ['browser_changes_day', browserChangeTypeNames],
  ['blocked_counts_day', blockedHostTypes],
  ['host_counts_day', blockedHostTypes],
])('%s holds just the types that it answers for', async (table, types) => {
  const rows = await askRows(db.writer, `SELECT DISTINCT report_type FROM ${table}`)
  expect(rows.flat().toSorted()).toEqual(types.toSorted())
})
