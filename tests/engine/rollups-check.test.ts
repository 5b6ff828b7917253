import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { checkRollups, type RollupCheck } from '../../clickhouse/check-rollups.ts'
import { rebuildRollups } from '../../clickhouse/rebuild-rollups.ts'
import { listRollups } from '../../clickhouse/rollups.ts'
import { aReport } from '../../fixtures/reports.ts'
import { askRows } from '../support/database.ts'
import { createFilledDatabase, type FilledDatabase } from '../support/rollups.ts'

const day = 86_400_000
/** Rollups of every report type, and those of some types only. */
const ofEveryType = [
  'cube_day',
  'cube_hour',
  'marginals_day',
  'marginals_hour',
  'pages_day',
  'totals_hour',
  'totals_minute',
]
const ofSomeTypes = ['browser_changes_day', 'crash_groups_day', 'issues_day', 'network_error_groups_day']
const ofScripts = 'scripts_day'
/** The rollups of totals, marginals and cubes, which are made from each other. */
const counts = ['cube_day', 'cube_hour', 'marginals_day', 'marginals_hour', 'totals_hour', 'totals_minute']

let db: FilledDatabase

beforeAll(async () => {
  db = await createFilledDatabase()
})

afterAll(() => db?.drop())

let last: RollupCheck | undefined
const check = async (tenant?: string) => {
  last = await checkRollups(db.writer, tenant === undefined ? {} : { tenantId: tenant })
  return last
}
const differing = () => [...new Set(last?.differences.map(({ table }) => table))]
const heal = async () => {
  await rebuildRollups(db.writer, { tables: differing() })
  expect(await check()).toMatchObject({ different: 0, differences: [] })
}

describe('a check of the rollups', () => {
  // Only what a test found different, because a rebuild of every table takes longer than the test.
  afterEach(async () => {
    if (differing().length > 0) await rebuildRollups(db.writer, { tables: differing() })
  })

  test('knows every rollup from the store itself, each after the one it is made from', async () => {
    const rollups = await listRollups(db.writer)
    expect(rollups.map(({ table }) => table).sort()).toEqual([...ofEveryType, ...ofSomeTypes, ofScripts].sort())
    for (const [index, { source }] of rollups.entries()) {
      expect(['reports', ...rollups.slice(0, index).map(({ table }) => table)]).toContain(source)
    }
  })

  test('compares every table by tenant, type and day, and finds them all as they should be', async () => {
    const days = async (where: string) => {
      const distinct = 'uniqExact(tenant_id, report_type, toDate(received_at))'
      const [[found] = []] = await askRows(db.writer, `SELECT ${distinct} FROM reports WHERE ${where}`)
      return Number(found)
    }
    // Each of the four takes types that no other of them takes, and together they take all that are listed.
    const counted = (await days('true')) * ofEveryType.length + (await days("report_type != 'csp-hash'"))
    const checked = counted + (await days("script_url != ''"))
    expect(await check()).toEqual({ checked, different: 0, differences: [] })
  })

  test.each([
    ['fine', ['cube_hour', 'marginals_hour', 'totals_minute'], counts],
    ['coarse', ['cube_day', 'marginals_day', 'totals_hour'], ['cube_day', 'marginals_day', 'totals_hour']],
  ])('finds rows of the %s rollups that were counted twice, and a rebuild heals them', async (_, tampered, found) => {
    const where = (table: string) =>
      `FROM ${table} WHERE tenant_id = '${db.tenantId}' ORDER BY toDate(bucket) DESC, report_type LIMIT 1`
    const [[type, bucket] = []] = await askRows(db.writer, `SELECT report_type, toDate(bucket) ${where('totals_hour')}`)
    for (const table of tampered) await db.writer.command(`INSERT INTO ${table} SELECT * ${where(table)}`)
    const { different, differences } = await check()
    expect(different).toBe(found.length)
    expect(differences.map(({ table }) => table).sort()).toEqual(found)
    for (const difference of differences) {
      expect(difference).toMatchObject({ tenantId: db.tenantId, reportType: type, day: bucket, differingRows: 1 })
      expect(difference.actual.weight).toBeGreaterThan(Number(difference.expected.weight))
    }
    await heal()
  })

  test('finds a row that is missing, and one that was moved though its day adds up', async () => {
    const key = 'cityHash64(report_type, dimension, value, bucket)'
    const own = `tenant_id = '${db.tenantId}'`
    const row = `${own} AND ${key} = (SELECT min(${key}) FROM marginals_day WHERE ${own} AND value != 'moved')`
    await db.writer.command(
      `INSERT INTO marginals_day SELECT * REPLACE ('moved' AS value) FROM (SELECT * FROM marginals_day WHERE ${row})`,
    )
    await db.writer.command(`ALTER TABLE marginals_day DELETE WHERE ${row} SETTINGS mutations_sync = 1`)
    const { differences } = await check()
    expect(differences).toHaveLength(1)
    const [found] = differences
    expect(found).toMatchObject({ table: 'marginals_day', differingRows: 2 })
    expect(found?.actual).toEqual(found?.expected)
  })

  test.each([
    ['issues_day', "REPLACE (0 AS report_count, 0 AS weight, arrayReduce('uniqExactState', [toUInt64(1)]) AS pages)"],
    ['crash_groups_day', "REPLACE (0 AS report_count, 0 AS weight, ['Lynx'] AS browsers)"],
    ['network_error_groups_day', "REPLACE (0 AS report_count, 0 AS weight, map('h9', toUInt64(1)) AS protocols)"],
    [
      'browser_changes_day',
      'REPLACE (0 AS report_count, 0 AS weight, (now64(3), generateUUIDv4(), now64(3)) AS removal)',
    ],
  ])('finds a state, list, map or tuple in %s that its day sums do not show', async (table, change) => {
    const from = `${table} WHERE tenant_id = '${db.tenantId}' ORDER BY bucket DESC LIMIT 1`
    await db.writer.command(`INSERT INTO ${table} SELECT * ${change} FROM ${from}`)
    expect((await check()).differences).toEqual([expect.objectContaining({ table, differingRows: 1 })])
  })

  test('finds a wrong first time', async () => {
    await db.writer.command(`INSERT INTO cube_day SELECT * REPLACE (0 AS report_count, 0 AS weight, first_seen - 1 AS first_seen)
      FROM cube_day WHERE tenant_id = '${db.tenantId}' ORDER BY bucket DESC LIMIT 1`)
    const { differences } = await check()
    expect(differences).toEqual([expect.objectContaining({ table: 'cube_day', differingRows: 1 })])
  })

  test('finds counts of a tenant and a month that the raw rows do not have, and a rebuild removes them', async () => {
    const stranger = randomUUID()
    await db.writer.command(`INSERT INTO totals_hour (tenant_id, report_type, site_id, bucket, report_count, weight, retention_days)
      VALUES ('${stranger}', 'coop', '${randomUUID()}', now() + toIntervalDay(70), 3, 3, 90)`)
    const { differences } = await check()
    expect(differences).toEqual([
      expect.objectContaining({
        tenantId: stranger,
        actual: { reportCount: 3, weight: 3, retentionDays: 90 },
        expected: { reportCount: null, weight: null, retentionDays: null },
      }),
    ])
    await heal()
    expect(await askRows(db.writer, `SELECT count() FROM totals_hour WHERE tenant_id = '${stranger}'`)).toEqual([[0]])
  })

  test('leaves out days that hold expired reports', async () => {
    const briefId = await db.createTenant()
    const at = (days: number) => aReport({ tenantId: briefId, receivedAt: Date.now() - days * day, retentionDays: 10 })
    await db.insertReports([at(1), at(8), at(12), at(30)])
    const { checked, different } = await check(briefId)
    const tables = [...ofEveryType, 'issues_day']
    expect({ checked, different }).toEqual({ checked: 2 * tables.length, different: 0 })
  })

  test('is of one tenant where one is named', async () => {
    await db.writer.command(
      `INSERT INTO totals_hour SELECT * FROM totals_hour WHERE tenant_id = '${db.tenantId}' ORDER BY bucket DESC LIMIT 1`,
    )
    expect((await check(db.otherId)).different).toBe(0)
    expect((await check(db.tenantId)).different).toBe(1)
  })

  test('lists the first 100 differences and counts them all', async () => {
    await db.writer.command(
      "INSERT INTO totals_minute SELECT * REPLACE (1 AS report_count) FROM totals_minute WHERE site_id != toUUID('00000000-0000-0000-0000-000000000000')",
    )
    const { different, differences } = await check()
    expect(different).toBeGreaterThan(100)
    expect(differences).toHaveLength(100)
  })
})
