import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { checkRollups } from '../../clickhouse/check-rollups.ts'
import { migrate } from '../../clickhouse/migrate.ts'
import { rebuildRollups } from '../../clickhouse/rebuild-rollups.ts'
import { listRollups } from '../../clickhouse/rollups.ts'
import { aReport, randomReports } from '../../fixtures/reports.ts'
import { cli } from '../support/cli.ts'
import { askRows, createDatabase, type TestDatabase } from '../support/database.ts'
import { createTenantWriter, type TenantWriter } from '../support/tenants.ts'

const day = 86_400_000
const now = Date.now()
const tables = ['cube_day', 'cube_hour', 'marginals_day', 'marginals_hour', 'totals_hour', 'totals_minute']

let db: TestDatabase
let store: TenantWriter
let tenantId: string
let otherId: string

beforeAll(async () => {
  db = await createDatabase()
  await migrate(db.writer)
  store = createTenantWriter(db.writer)
  tenantId = await store.createTenant()
  otherId = await store.createTenant()
  for (const [id, seed] of [
    [tenantId, 1],
    [otherId, 2],
  ] as const) {
    const siteIds = [await store.createSite(id), await store.createSite(id)]
    const reports = randomReports({
      count: 800,
      seed,
      tenantId: id,
      siteIds,
      from: new Date(now - 20 * day),
      to: new Date(now),
    })
    await store.insertReports(reports.map((report) => ({ ...report, retentionDays: 90 })))
  }
})

afterAll(() => db?.drop())

const check = (tenant?: string) => checkRollups(db.writer, tenant === undefined ? {} : { tenantId: tenant })
const heal = async () => {
  await rebuildRollups(db.writer)
  expect(await check()).toMatchObject({ different: 0, differences: [] })
}
const environment = () => ({ CLICKHOUSE_URL: db.writeUrl })

describe('a check of the rollups', () => {
  afterEach(async () => {
    await rebuildRollups(db.writer)
  })

  test('knows every rollup from the store itself, each after the one it is made from', async () => {
    const rollups = await listRollups(db.writer)
    expect(rollups.map(({ table }) => table).sort()).toEqual(tables)
    for (const [index, { source }] of rollups.entries()) {
      expect(['reports', ...rollups.slice(0, index).map(({ table }) => table)]).toContain(source)
    }
  })

  test('compares every table by tenant, type and day, and finds them all as they should be', async () => {
    const [[days] = []] = await askRows(
      db.writer,
      'SELECT uniqExact(tenant_id, report_type, toDate(received_at)) FROM reports',
    )
    expect(await check()).toEqual({ checked: Number(days) * tables.length, different: 0, differences: [] })
  })

  test.each([
    ['fine', ['cube_hour', 'marginals_hour', 'totals_minute'], tables],
    ['coarse', ['cube_day', 'marginals_day', 'totals_hour'], ['cube_day', 'marginals_day', 'totals_hour']],
  ])('finds rows of the %s rollups that were counted twice, and a rebuild heals them', async (_, tampered, found) => {
    const where = (table: string) =>
      `FROM ${table} WHERE tenant_id = '${tenantId}' ORDER BY bucket DESC, report_type LIMIT 1`
    const [[type, bucket] = []] = await askRows(db.writer, `SELECT report_type, toDate(bucket) ${where('totals_hour')}`)
    for (const table of tampered) await db.writer.command(`INSERT INTO ${table} SELECT * ${where(table)}`)
    const { different, differences } = await check()
    expect(different).toBe(found.length)
    expect(differences.map(({ table }) => table).sort()).toEqual(found)
    for (const difference of differences) {
      expect(difference).toMatchObject({ tenantId, reportType: type, day: bucket, differingRows: 1 })
      expect(difference.actual.weight).toBeGreaterThan(Number(difference.expected.weight))
    }
    await heal()
  })

  test('finds a row that is missing, and one that was moved though its day adds up', async () => {
    const key = 'cityHash64(report_type, dimension, value, bucket)'
    const own = `tenant_id = '${tenantId}'`
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

  test('finds a wrong first time', async () => {
    await db.writer.command(`INSERT INTO cube_day SELECT * REPLACE (0 AS report_count, 0 AS weight, first_seen - 1 AS first_seen)
      FROM cube_day WHERE tenant_id = '${tenantId}' ORDER BY bucket DESC LIMIT 1`)
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
    const briefId = await store.createTenant()
    const at = (days: number) => aReport({ tenantId: briefId, receivedAt: now - days * day, retentionDays: 10 })
    await store.insertReports([at(1), at(8), at(12), at(30)])
    const { checked, different } = await check(briefId)
    expect({ checked, different }).toEqual({ checked: 2 * tables.length, different: 0 })
  })

  test('is of one tenant where one is named', async () => {
    await db.writer.command(
      `INSERT INTO totals_hour SELECT * FROM totals_hour WHERE tenant_id = '${tenantId}' ORDER BY bucket DESC LIMIT 1`,
    )
    expect((await check(otherId)).different).toBe(0)
    expect((await check(tenantId)).different).toBe(1)
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

describe('a rebuild', () => {
  test('shows its readers the old rows or the new ones, never a part, and leaves no table behind', async () => {
    const total = async () => {
      const [[sum] = []] = await askRows(db.writer, 'SELECT sum(report_count) FROM totals_hour')
      return sum
    }
    const before = await total()
    let rebuilding = true
    const rebuilt = rebuildRollups(db.writer).finally(() => {
      rebuilding = false
    })
    while (rebuilding) expect(await total()).toBe(before)
    await rebuilt
    expect(
      await askRows(
        db.writer,
        "SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%rebuild%'",
      ),
    ).toEqual([])
  })

  test('says how far it is', async () => {
    const steps: [number, number][] = []
    const { rebuilt } = await rebuildRollups(db.writer, (done, total) => steps.push([done, total]))
    expect(steps).toEqual(Array.from({ length: rebuilt }, (_, index) => [index, rebuilt]))
  })
})

describe('the commands', () => {
  test('"rollups check" exits 0 with what it compared, and 1 on a difference', async () => {
    const good = await cli(['rollups', 'check'], { environment: environment() })
    expect(good.code).toBe(0)
    expect(JSON.parse(good.stdout)).toMatchObject({ different: 0, differences: [] })
    await db.writer.command('INSERT INTO cube_day SELECT * FROM cube_day ORDER BY bucket DESC LIMIT 1')
    const bad = await cli(['rollups', 'check', '--tenant', tenantId], { environment: environment() })
    const worse = await cli(['rollups', 'check'], { environment: environment() })
    expect([bad.code, worse.code]).toContain(1)
    expect(JSON.parse(worse.stdout)).toMatchObject({ different: 1, differences: [{ table: 'cube_day' }] })
  })

  test('"rollups rebuild" heals and says so', async () => {
    const { code, stdout } = await cli(['rollups', 'rebuild'], { environment: environment() })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ rebuilt: expect.any(Number), different: 0 })
  })

  test('"rollups rebuild" refuses while an import is cut off, as its reports would be counted twice', async () => {
    const row = { tenant_id: tenantId, previous_token: 'a', token: 'b', lines: 1, state: 'started' }
    const record = (state: string) =>
      db.writer.insert('INSERT INTO import_batches FORMAT JSONEachRow', Buffer.from(JSON.stringify({ ...row, state })))
    await record('started')
    const refused = await cli(['rollups', 'rebuild'], { environment: environment() })
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(new RegExp(`^An import of tenant ${tenantId} is running or was cut off.*--force`))
    expect((await cli(['rollups', 'rebuild', '--force'], { environment: environment() })).code).toBe(0)
    await record('done')
    expect((await cli(['rollups', 'rebuild'], { environment: environment() })).code).toBe(0)
  })

  test('"rollups check" refuses a tenant that does not exist', async () => {
    const { code, stdout, stderr } = await cli(['rollups', 'check', '--tenant', randomUUID()], {
      environment: environment(),
    })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^There is no tenant /)
  })
})
