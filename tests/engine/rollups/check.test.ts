import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkRollups, type RollupCheck } from '../../../clickhouse/rollups/check-rollups.ts'
import { listRollups } from '../../../clickhouse/rollups/list-rollups.ts'
import { rebuildRollups } from '../../../clickhouse/rollups/rebuild-rollups.ts'
import { aReport } from '../../../fixtures/reports.ts'
import { dayMs } from '../../../schema/durations.ts'
import { queryRows } from '../../support/database.ts'
import { createFilledDatabase, type FilledDatabase } from '../../support/rollups.ts'

/** Rollups of every report type, and those of some types only. */
const ofEveryType = [
  'reports_per_day_by_cube',
  'reports_per_hour_by_cube',
  'reports_per_hour_by_cube_value',
  'reports_per_day_by_document_host_cube',
  'reports_per_day_by_page',
  'reports_by_time',
  'reports_per_day_by_value',
  'reports_per_hour_by_value_time_ordered',
  'reports_per_hour_by_value',
]
const ofSomeTypes = [
  'browser_changes_per_day_by_page',
  'crashes_per_day_by_group',
  'reports_per_day_by_issue',
  'network_errors_per_day_by_group',
]
const ofBrowserChanges = 'browser_changes_per_day_by_entry'
const ofPolicies = [
  'reports_per_day_by_blocked_host_cube',
  'reports_per_day_by_hosts',
  'reports_per_day_by_pair',
  'reports_per_day_by_source',
]
const ofScripts = 'reports_per_day_by_script'
/** The rollups of counts that are made from each other. */
const fine = ['reports_per_hour_by_cube', 'reports_by_time', 'reports_per_hour_by_value_time_ordered']
const coarse = [
  'reports_per_day_by_cube',
  'reports_per_day_by_value',
  'reports_per_hour_by_cube_value',
  'reports_per_hour_by_value',
]

let db: FilledDatabase

beforeAll(async () => {
  db = await createFilledDatabase()
})

afterAll(() => db?.drop())

let last: RollupCheck | undefined
const checkAll = async () => {
  last = await checkRollups(db.writer)
  return last
}
/** Of the tenant whose rollups most tests change, at half of the statements. */
const check = async (tenantId = db.tenantId) => {
  last = await checkRollups(db.writer, { tenantId })
  return last
}
const differing = () => [...new Set(last?.differences.map(({ table }) => table))]
const heal = async () => {
  await rebuildRollups([db.writer], { tables: differing() })
  expect(await check()).toMatchObject({ different: 0, differences: [] })
}

describe('checkRollups', () => {
  // Only what the test before found different, because a rebuild of every table takes longer than the test.
  beforeEach(async () => {
    if (differing().length > 0) await rebuildRollups([db.writer], { tables: differing() })
  })

  test('listRollups reads every rollup from the catalogue, sources first', async () => {
    const rollups = await listRollups(db.writer)
    expect(rollups.map(({ table }) => table).sort()).toEqual(
      [...ofEveryType, ...ofSomeTypes, ...ofPolicies, ofBrowserChanges, ofScripts].sort(),
    )
    for (const [index, { source }] of rollups.entries()) {
      expect(['reports', ...rollups.slice(0, index).map(({ table }) => table)]).toContain(source)
    }
  })

  test('the check compares every table by tenant, type and day, and finds no difference', async () => {
    const days = async (where: string) => {
      const distinct = 'uniqExact(tenant_id, report_type, toDate(received_at))'
      const [[found] = []] = await queryRows(db.writer, `SELECT ${distinct} FROM reports WHERE ${where}`)
      return Number(found)
    }
    // Each of the four takes types that no other of them takes, and together they take all that are listed.
    const counted = (await days('true')) * ofEveryType.length + (await days("report_type != 'csp-hash'"))
    const ofPolicy = (await days("report_type = 'csp-violation'")) * ofPolicies.length
    const ofChanges = await days("report_type IN ('deprecation', 'intervention')")
    const checked = counted + ofPolicy + ofChanges + (await days("report_type IN ('csp-hash', 'integrity-violation')"))
    expect(await checkAll()).toEqual({ checked, different: 0, differences: [] })
  })

  test.each([
    ['fine', fine, [...fine, ...coarse].sort()],
    ['coarse', coarse, coarse],
  ])('finds rows of the %s rollups that were counted twice, and a rebuild heals them', async (_, tampered, found) => {
    const where = (table: string) =>
      `FROM ${table} WHERE tenant_id = '${db.tenantId}' ORDER BY toDate(bucket) DESC, report_type LIMIT 1`
    const [[type, bucket] = []] = await queryRows(
      db.writer,
      `SELECT report_type, toDate(bucket) ${where('reports_by_time')}`,
    )
    for (const table of tampered) await db.writer.command(`INSERT INTO ${table} SELECT * ${where(table)}`)
    const [[dimensions] = []] = await queryRows(
      db.writer,
      `SELECT uniqExact(dimension) FROM reports_per_hour_by_cube_value WHERE report_type = '${type}'`,
    )
    const { different, differences } = await check()
    expect(different).toBe(found.length)
    expect(differences.map(({ table }) => table).sort()).toEqual(found)
    for (const difference of differences) {
      // One row of the cube has a value of each of its dimensions.
      const isFromCube =
        difference.table === 'reports_per_hour_by_cube_value' && tampered.includes('reports_per_hour_by_cube')
      const differingRows = isFromCube ? dimensions : 1
      expect(difference).toMatchObject({ tenantId: db.tenantId, reportType: type, day: bucket, differingRows })
      expect(difference.actual.weight).toBeGreaterThan(Number(difference.expected.weight))
    }
    await heal()
  })

  const changed = 'REPLACE (0 AS report_count, 0 AS weight, '
  /** Changes that the sums of a day do not show. */
  const hidden: Readonly<Record<string, string>> = {
    reports_per_day_by_cube: `${changed}first_seen_at - 1 AS first_seen_at)`,
    reports_per_day_by_issue: `${changed}arrayReduce('uniqExactState', [toUInt64(1)]) AS pages)`,
    crashes_per_day_by_group: `${changed}['Lynx'] AS browsers)`,
    network_errors_per_day_by_group: `${changed}map('h9', toUInt64(1)) AS protocols)`,
    browser_changes_per_day_by_page: `${changed}(now64(3), generateUUIDv4(), now64(3)) AS removal)`,
  }

  test('finds a missing row, a moved row, and a first time, state, list, map or tuple, where days add up', async () => {
    const own = `tenant_id = '${db.tenantId}'`
    const key = 'cityHash64(report_type, dimension, value, bucket, noise)'
    const row = `${own} AND ${key} = (SELECT min(${key}) FROM reports_per_day_by_value WHERE ${own} AND value != 'moved')`
    await db.writer.command(
      `INSERT INTO reports_per_day_by_value SELECT * REPLACE ('moved' AS value) FROM (SELECT * FROM reports_per_day_by_value WHERE ${row})`,
    )
    await db.writer.command(`ALTER TABLE reports_per_day_by_value DELETE WHERE ${row} SETTINGS mutations_sync = 1`)
    for (const [table, change] of Object.entries(hidden)) {
      await db.writer.command(
        `INSERT INTO ${table} SELECT * ${change} FROM ${table} WHERE ${own} ORDER BY bucket DESC LIMIT 1`,
      )
    }
    const { differences } = await check()
    const found = Object.fromEntries(differences.map((difference) => [difference.table, difference]))
    expect(differences).toHaveLength(Object.keys(found).length)
    // The view of pages has put the change into the entries.
    const changedOnce = [...Object.keys(hidden), 'browser_changes_per_day_by_entry']
    expect(found).toEqual({
      ...Object.fromEntries(changedOnce.map((table) => [table, expect.objectContaining({ differingRows: 1 })])),
      reports_per_day_by_value: expect.objectContaining({ differingRows: 2 }),
    })
    const moved = found.reports_per_day_by_value
    expect(moved?.actual).toEqual(moved?.expected)
  })

  test('the check finds counts without reports, and a rebuild removes them', async () => {
    const stranger = randomUUID()
    await db.writer.command(`INSERT INTO reports_by_time (tenant_id, grain, report_type, bucket, report_count, weight, retention_days)
      VALUES ('${stranger}', 'hour', 'coop', now() + toIntervalDay(70), 3, 9007199254740993, 90)`)
    const { differences } = await checkAll()
    expect(differences).toEqual([
      expect.objectContaining({
        tenantId: stranger,
        actual: { reportCount: 3, weight: '9007199254740993', retentionDays: 90 },
        expected: { reportCount: null, weight: null, retentionDays: null },
      }),
    ])
    await heal()
    expect(await queryRows(db.writer, `SELECT count() FROM reports_by_time WHERE tenant_id = '${stranger}'`)).toEqual([
      [0],
    ])
  })

  test('the check omits expired days, by the tenant’s shortest retention in every month', async () => {
    const briefId = await db.createTenant()
    const at = (days: number, retentionDays = 10) =>
      aReport({ tenantId: briefId, receivedAt: Date.now() - days * dayMs, retentionDays })
    await db.insertReports([at(1), at(8), at(12), at(30), at(80, 90)])
    const { checked, different } = await check(briefId)
    const tables = [...ofEveryType, ...ofPolicies, 'reports_per_day_by_issue']
    expect({ checked, different }).toEqual({ checked: 2 * tables.length, different: 0 })
  })

  test('the check compares only the tenant that is named', async () => {
    await db.writer.command(
      `INSERT INTO reports_by_time SELECT * FROM reports_by_time WHERE tenant_id = '${db.tenantId}' ORDER BY bucket DESC LIMIT 1`,
    )
    expect((await check(db.otherId)).different).toBe(0)
    expect((await check(db.tenantId)).different).toBe(1)
  })

  test('the check lists the first 100 differences and counts them all', async () => {
    await db.writer.command('INSERT INTO reports_by_time SELECT * REPLACE (1 AS report_count) FROM reports_by_time')
    const { different, differences } = await check()
    expect(different).toBeGreaterThan(100)
    expect(differences).toHaveLength(100)
  })
})
