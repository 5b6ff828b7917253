import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { migrate, pendingMigrations } from '../../../clickhouse/migrate.ts'
import { readMigrations } from '../../../clickhouse/migration-files.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { listRollups } from '../../../clickhouse/rollups/list-rollups.ts'
import { isField } from '../../../schema/dimensions.ts'
import { dimensionsOf, storedTypeNames } from '../../../schema/report-types.ts'
import { createDatabase, queryRows, type TestDatabase } from '../../support/database.ts'
import { connectPatiently } from '../../support/patience.ts'

const folder = mkdtempSync(join(tmpdir(), 'migrations-'))
const folderUrl = pathToFileURL(`${folder}/`)
const good = 'CREATE TABLE IF NOT EXISTS a (n UInt8) ENGINE = MergeTree ORDER BY n;\n'
const another = 'CREATE TABLE IF NOT EXISTS b (n UInt8) ENGINE = MergeTree ORDER BY n;\n'

const tenantId = randomUUID()

let db: TestDatabase

beforeEach(async () => {
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  db = await createDatabase()
  return () => db.drop()
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const pending = async (folder?: URL, { reader } = db) => pendingMigrations(reader, await readMigrations(folder))
const migrateFolder = () => migrate(db.writer, { folder: folderUrl })
const names = async () => (await readMigrations()).map(({ name }) => name)
const applied = ({ writer } = db) =>
  queryRows(writer, 'SELECT version, name FROM schema_migrations FINAL ORDER BY version')

/** One database for the tests that leave it migrated, as a migration of all takes seconds. */
let migrated: TestDatabase

beforeAll(async () => {
  migrated = await createDatabase()
  await migrate(migrated.writer)
  return () => migrated.drop()
})

describe('the migrations', () => {
  test('migrations are applied once, in order and with progress; the reader sees pending ones', async () => {
    const all = await names()
    expect(await pending()).toEqual(all)
    const heard: string[] = []
    expect(await migrate(db.writer, { onStep: (step) => heard.push(step) })).toEqual(all)
    expect(heard).toEqual(all.map((name) => `Applying ${name}`))
    expect(await pending()).toEqual([])
    expect(await migrate(db.writer)).toEqual([])
    expect(await applied()).toEqual(all.map((name, index) => [index + 1, name]))
  })

  test('every statement of the migrations can be repeated without a change to stored rows', async () => {
    await migrated.writer.command("INSERT INTO tenants (id, name) VALUES (generateUUIDv4(), 'kept')")
    const tables = () =>
      queryRows(
        migrated.writer,
        'SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase() ORDER BY name',
      )
    const before = await tables()
    for (const { statements } of await readMigrations()) {
      for (const statement of statements) await migrated.writer.command(statement)
    }
    expect(await tables()).toEqual(before)
    expect(await queryRows(migrated.writer, 'SELECT name FROM tenants')).toEqual([['kept']])
  })

  test('every table and every column has a comment', async () => {
    const without = await queryRows(
      migrated.writer,
      `SELECT table, name FROM system.columns WHERE database = currentDatabase() AND comment = '' AND table NOT LIKE '%_mv'
       UNION ALL SELECT name, '' FROM system.tables WHERE database = currentDatabase() AND comment = '' AND engine != 'MaterializedView'`,
    )
    expect(without).toEqual([])
  })

  test('reports and every rollup have the same deduplication window', async () => {
    const windows = await queryRows(
      migrated.writer,
      `SELECT DISTINCT extract(engine_full, 'non_replicated_deduplication_window = (\\d+)') FROM system.tables
       WHERE database = currentDatabase() AND engine_full LIKE '%deduplication_window%'`,
    )
    expect(windows).toEqual([['10000']])
  })

  test('every rollup merges a month without inserts into one part', async () => {
    const merged = await queryRows(
      migrated.writer,
      `SELECT name FROM system.tables WHERE database = currentDatabase()
       AND engine_full LIKE '%min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = %' ORDER BY name`,
    )
    expect(merged.flat()).toEqual((await listRollups(migrated.writer)).map(({ table }) => table).sort())
  })

  test('two migration runs at once apply every migration once', async () => {
    const all = await names()
    const second = connectPatiently(db.writeUrl)
    const [one, other] = await Promise.all([migrate(db.writer), migrate(second)]).finally(() => second.close())
    expect(new Set([...one, ...other])).toEqual(new Set(all))
    expect(await applied()).toHaveLength(all.length)
    expect(await pending()).toEqual([])
  })
})

test('a database with reports gets its new rollups filled', async () => {
  const migrations = new URL('../../../clickhouse/migrations/', import.meta.url)
  const files = readdirSync(migrations)
  for (const file of files.filter((one) => one < '0003')) copyFileSync(new URL(file, migrations), join(folder, file))
  await migrateFolder()
  await db.writer.command(`INSERT INTO reports (tenant_id, site_id, report_type, received_at, id, weight, sample_rate, retention_days, directive, blocked_host)
    SELECT toUUID('${tenantId}'), generateUUIDv4(), ['csp-violation', 'crash'][number % 2 + 1], now64(3) - toIntervalHour(number % 100), generateUUIDv7(), 1000000, 1, 90, 'img-src', concat('host', toString(number % 7))
    FROM numbers(900)`)
  await migrate(db.writer)
  const [[counted] = []] = await queryRows(
    db.writer,
    "SELECT sum(report_count) FROM reports_by_time WHERE grain = 'hour'",
  )
  expect(counted).toBe(900)
  expect(await checkRollups(db.writer)).toMatchObject({ different: 0 })

  // As a run leaves it that was cut off while it filled.
  await db.writer.command('ALTER TABLE schema_migrations DELETE WHERE version = 6 SETTINGS mutations_sync = 1')
  for (const table of ['reports_per_day_by_hosts', 'reports_per_day_by_pair']) {
    const [[month] = []] = await queryRows(db.writer, `SELECT max(toYYYYMM(bucket)) FROM ${table}`)
    await db.writer.command(`ALTER TABLE ${table} DROP PARTITION ID '${month}'`)
  }
  await db.writer.command('TRUNCATE TABLE migration_steps')
  const heard: string[] = []
  const repeated = await migrate(db.writer, { onStep: (step) => heard.push(step) })
  expect(repeated).toEqual(['0006_report_hosts'])
  const filled = heard.slice(repeated.length)
  expect(filled.every((step, index) => step.startsWith('Filling ') && step.includes(`, ${index + 1} of `))).toBe(true)
  expect(filled.join()).toMatch(/Filling reports_per_day_by_pair \d{6}/)
  expect(await checkRollups(db.writer)).toMatchObject({ different: 0 })
})

test('a database of the release before has noise in its rollups once it is migrated', async () => {
  const migrations = new URL('../../../clickhouse/migrations/', import.meta.url)
  const files = readdirSync(migrations).filter((one) => one < '0018')
  for (const file of files) copyFileSync(new URL(file, migrations), join(folder, file))
  await migrateFolder()
  await db.writer.command(`INSERT INTO reports (tenant_id, site_id, report_type, received_at, id, weight, sample_rate, retention_days, directive, blocked_host, noise)
    SELECT toUUID('${tenantId}'), generateUUIDv4(), 'csp-violation', now64(3) - toIntervalHour(number % 100), generateUUIDv7(), 1000000, 1, 90, 'img-src', concat('host', toString(number % 7)), number % 3 = 0
    FROM numbers(900)`)
  expect(await migrate(db.writer)).toContain('0018_noise')
  for (const table of ['reports_per_day_by_hosts', 'reports_per_day_by_issue', 'reports_per_hour_by_cube']) {
    const counts = `SELECT sumIf(report_count, noise), sumIf(report_count, NOT noise) FROM ${table}`
    expect(await queryRows(db.writer, counts), table).toEqual([[300, 600]])
  }
  expect(await checkRollups(db.writer)).toMatchObject({ different: 0 })
})

test('a changed view and a recreated view count stored reports, and so do rollups of their tables', async () => {
  const migrations = new URL('../../../clickhouse/migrations/', import.meta.url)
  for (const file of readdirSync(migrations)) copyFileSync(new URL(file, migrations), join(folder, file))
  await migrateFolder()
  await db.writer.command(`INSERT INTO reports (tenant_id, site_id, report_type, received_at, id, weight, sample_rate, retention_days, phase, protocol)
    SELECT toUUID('${tenantId}'), generateUUIDv4(), 'network-error', now64(3) - toIntervalHour(number), generateUUIDv7(), 1000000, 1, 90, 'dns', 'h3'
    FROM numbers(900)`)
  const table = 'reports_per_hour_by_value_time_ordered'
  const view = `${table}_mv`
  const changes: [column: string, value: string, change: string][] = [
    ['phase', 'dns', `ALTER TABLE ${view} MODIFY QUERY`],
    [
      'protocol',
      'h3',
      `DROP VIEW IF EXISTS ${view} SYNC;\nCREATE MATERIALIZED VIEW IF NOT EXISTS ${view} TO ${table} AS`,
    ],
  ]
  for (const [column, value, change] of changes) {
    const [[made] = []] = await queryRows(
      db.writer,
      `SELECT create_table_query FROM system.tables WHERE database = currentDatabase() AND name = '${view}'`,
    )
    const select = String(made)
      .slice(String(made).indexOf(' AS SELECT') + ' AS'.length)
      .replaceAll(/ FROM \w+\./g, ' FROM ')
      .replace("[('", `[('${column}', toString(${column})), ('`)
      .replace('WHERE ', `WHERE dimension = '${column}' OR `)
    write(
      `${String((await readMigrations(folderUrl)).length + 1).padStart(4, '0')}_${column}.sql`,
      `${change}${select};\n`,
    )
    await migrateFolder()
    expect(await checkRollups(db.writer)).toMatchObject({ different: 0 })
    for (const rollup of [table, 'reports_per_hour_by_value', 'reports_per_day_by_value']) {
      const counted = `SELECT sum(report_count) FROM ${rollup} WHERE dimension = '${column}' AND value = '${value}'`
      expect(await queryRows(db.writer, counted), rollup).toEqual([[900]])
    }
  }
})

describe('the report types', () => {
  const stored = () =>
    queryRows(migrated.writer, 'SELECT report_type, dimensions FROM report_types FINAL ORDER BY report_type')
  const insertReport = (reportType: string) =>
    migrated.writer.command(`INSERT INTO reports (tenant_id, report_type, received_at, id, retention_days)
      VALUES ('${tenantId}', '${reportType}', now64(3), generateUUIDv7(), 90)`)

  test('all stored report types are written once', async () => {
    const types = storedTypeNames.map((type) => [type, dimensionsOf(type).filter(isField)])
    expect(await stored()).toEqual(types.toSorted())
    await migrate(migrated.writer)
    expect(await queryRows(migrated.writer, 'SELECT count() FROM report_types')).toEqual([[types.length]])
  })

  test('report types are pending where the database has fewer types or dimensions, not more', async () => {
    const insert = (type: string, dimensions: string) =>
      migrated.writer.command(`INSERT INTO report_types (report_type, dimensions, has_issues, is_browser_change)
        SELECT report_type, ${dimensions}, has_issues, is_browser_change FROM report_types FINAL
        WHERE report_type = '${type}'`)
    await insert('coop', "arrayPushBack(dimensions, 'phase')")
    expect(await pending(undefined, migrated)).toEqual([])
    await insert('coop', "arrayFilter(one -> one != 'feature', dimensions)")
    expect(await pending(undefined, migrated)).toEqual(['report_types'])
    await migrate(migrated.writer)
    await migrated.writer.command(
      "ALTER TABLE report_types DELETE WHERE report_type = 'crash' SETTINGS mutations_sync = 1",
    )
    expect(await pending(undefined, migrated)).toEqual(['report_types'])
    await migrate(migrated.writer)
  })

  test('changed report types are written, and named where their reports must be recounted', async () => {
    const all = await stored()
    await insertReport('coop')
    for (const type of ['coop', 'coep']) {
      await migrated.writer.command(`INSERT INTO report_types (report_type, dimensions)
        SELECT report_type, ['siteId'] FROM report_types FINAL WHERE report_type = '${type}'`)
    }
    const heard: string[] = []
    expect(await migrate(migrated.writer, { onStep: (step) => heard.push(step) })).toEqual([])
    expect(heard).toEqual(['coop changed: run "rollups rebuild" to count the reports stored before'])
    expect(await stored()).toEqual(all)
  })
})

// The last of that database's tests.
test('a database of an older baseline stops the run with one line, and is not changed', async () => {
  await migrated.writer.command('TRUNCATE TABLE schema_migrations')
  // As the release before the first baseline noted them: more than there are now.
  await migrated.writer.command(`INSERT INTO schema_migrations (version, name, checksum)
    SELECT number + 1, ['0001_tenants', '0002_reports', '0003_totals'][least(number + 1, 3)], lower(hex(SHA256(toString(number))))
    FROM numbers(29)`)
  const before = await applied(migrated)
  const line =
    /^The database has different migrations .* starting with 0001_tenants; it was not changed: run the release that created it, [^\n]*$/
  await expect(migrate(migrated.writer)).rejects.toThrow(line)
  await expect(pending(undefined, migrated)).rejects.toThrow(line)
  expect(await applied(migrated)).toEqual(before)
})

describe('a migration', () => {
  test('an interrupted migration is pending, and is repeated whole', async () => {
    write('0001_a.sql', `${good}${another}SELECT throwIf(1, 'cut off');\n`)
    await expect(migrateFolder()).rejects.toThrow('cut off')
    expect(await queryRows(db.writer, 'EXISTS b')).toEqual([[1]])
    expect(await pending(folderUrl)).toEqual(['0001_a'])
    write('0001_a.sql', `${good}${another}`)
    expect(await migrateFolder()).toEqual(['0001_a'])
  })

  test('a migration changed after it was applied stops the run with one line of advice', async () => {
    write('0001_a.sql', good)
    await migrateFolder()
    write('0001_a.sql', `${good}-- a word more\n`)
    write('0002_b.sql', another)
    const line =
      /^The database has different migrations from this release, starting with 0001_a; it was not changed: .*$/
    await expect(migrateFolder()).rejects.toThrow(line)
    await expect(pending(folderUrl)).rejects.toThrow(line)
    expect(await queryRows(db.writer, 'EXISTS b')).toEqual([[0]])
  })

  test('a migration with CRLF line ends is the same migration', async () => {
    write('0001_a.sql', good)
    await migrateFolder()
    write('0001_a.sql', good.replaceAll('\n', '\r\n'))
    expect(await migrateFolder()).toEqual([])
  })

  test('an unknown migration in the database stops the run, but nothing is pending', async () => {
    write('0001_a.sql', good)
    write('0002_b.sql', another)
    await migrateFolder()
    rmSync(join(folder, '0002_b.sql'))
    await expect(migrateFolder()).rejects.toThrow(/^The database is from a newer release, with 0002_b: run that .*$/)
    expect(await pending(folderUrl)).toEqual([])
  })

  test.each(['1_a.sql', '0002_a.sql', '0001-a.sql', '0001_A.sql'])(
    'a migration file named %s is rejected',
    async (name) => {
      write(name, good)
      await expect(migrateFolder()).rejects.toThrow(name)
    },
  )

  test('two migration files with one number are rejected', async () => {
    write('0001_a.sql', good)
    write('0001_b.sql', another)
    await expect(migrateFolder()).rejects.toThrow('0001_b.sql')
  })
})
