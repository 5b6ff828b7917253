import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../../clickhouse/migrate.ts'
import { readMigrations } from '../../../clickhouse/migration-files.ts'
import { planMigrations } from '../../../clickhouse/plan-migrations.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { cli } from '../../support/cli.ts'
import { createDatabase, queryRows, type TestDatabase } from '../../support/database.ts'

/** Over three months, whenever the test runs. */
const insertReports = `INSERT INTO reports (tenant_id, site_id, report_type, received_at, id, weight, sample_rate, retention_days, phase)
  SELECT toUUID('${randomUUID()}'), generateUUIDv4(), 'network-error', now64(3) - toIntervalDay(number % 64), generateUUIDv7(), 1000000, 1, 90, 'dns'
  FROM numbers(900)`

const columns = `tenant_id UUID COMMENT 'a', report_type LowCardinality(String) COMMENT 'b', phase LowCardinality(String) COMMENT 'c'`

/** A rollup by phase, as a later release would add it. */
const perDay = `CREATE TABLE IF NOT EXISTS reports_per_day_by_phase
(
    ${columns}, bucket DateTime('UTC') COMMENT 'd',
    report_count SimpleAggregateFunction(sum, UInt64) COMMENT 'e',
    retention_days SimpleAggregateFunction(max, UInt16) COMMENT 'f'
)
ENGINE = AggregatingMergeTree PARTITION BY toYYYYMM(bucket) ORDER BY (tenant_id, report_type, phase, bucket);

CREATE MATERIALIZED VIEW IF NOT EXISTS reports_per_day_by_phase_mv
TO reports_per_day_by_phase AS
SELECT tenant_id, report_type, phase, toStartOfDay(toDateTime(received_at, 'UTC')) AS bucket,
  count() AS report_count, max(retention_days) AS retention_days
FROM reports GROUP BY tenant_id, report_type, phase, bucket;
`

/** The same rollup anew: a repetition of its statements would empty what was filled. */
const perDayAgain = `DROP VIEW IF EXISTS reports_per_day_by_phase_mv SYNC;
DROP TABLE IF EXISTS reports_per_day_by_phase SYNC;
${perDay}`

const ever = (table: string, measures: string, select: string) => `CREATE TABLE IF NOT EXISTS ${table}
(
    ${columns}, ${measures}
)
ENGINE = AggregatingMergeTree ORDER BY (tenant_id, report_type, phase);

CREATE MATERIALIZED VIEW IF NOT EXISTS ${table}_mv TO ${table} AS
SELECT tenant_id, report_type, phase, ${select} FROM reports GROUP BY tenant_id, report_type, phase;
`

const times = `first_seen_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')) COMMENT 'd'`
const counts = `report_count SimpleAggregateFunction(sum, UInt64) COMMENT 'd'`

let db: TestDatabase
let root: string
let folder: URL

beforeAll(async () => {
  db = await createDatabase()
  root = mkdtempSync(join(tmpdir(), 'migrations-'))
  folder = pathToFileURL(`${root}/`)
  cpSync(new URL('../../../clickhouse/migrations/', import.meta.url), root, { recursive: true })
  await migrate(db.writer)
  await db.writer.command(insertReports)
})

afterAll(async () => {
  await db?.drop()
  rmSync(root, { recursive: true })
})

/** Adds the migrations of a later release to the folder; returns their names. */
async function addMigrations(...texts: string[]): Promise<string[]> {
  const { length } = await readMigrations(folder)
  return texts.map((text, index) => {
    const name = `${String(length + index + 1).padStart(4, '0')}_later`
    writeFileSync(join(root, `${name}.sql`), text)
    return name
  })
}

async function migrateAgain(onFilling: (step: string) => void = () => undefined) {
  const steps: string[] = []
  const onStep = (step: string) => {
    if (step.startsWith('Filling')) onFilling(step)
    steps.push(step)
  }
  const applied = await migrate(db.writer, { folder, onStep })
  return { applied, steps }
}

// First, as a database with migrations of a later release is refused.
test('"migrate --plan" prints what "migrate" would do, and does nothing', async () => {
  const environment = { CLICKHOUSE_URL: db.writeUrl }
  const last = (await readMigrations()).at(-1)
  await db.writer.command(
    `ALTER TABLE schema_migrations DELETE WHERE version = ${last?.version} SETTINGS mutations_sync = 1`,
  )
  const planned = await cli(['migrate', '--plan'], { environment })
  expect({ ...planned, stdout: JSON.parse(planned.stdout) }).toMatchObject({
    code: 0,
    stderr: '',
    stdout: { pending: [last?.name] },
  })
  expect(JSON.parse((await cli(['migrate'], { environment })).stdout)).toEqual({ applied: [last?.name] })
})

describe('a migration that makes a rollup', () => {
  test('fills it from the stored reports, which the plan tells before', async () => {
    const names = await addMigrations(perDay)
    const plan = await planMigrations(db.reader, [db.reader], folder)
    expect(plan).toMatchObject({ pending: names, rows: 900, seconds: 1 })
    const [fill] = plan.fills
    expect(plan.fills).toEqual([{ rollup: 'reports_per_day_by_phase', months: expect.any(Number), rows: 900 }])
    expect(await queryRows(db.writer, 'EXISTS reports_per_day_by_phase')).toEqual([[0]])

    const { applied, steps } = await migrateAgain()
    expect(applied).toEqual(names)
    expect(steps.filter((step) => step.startsWith('Filling'))).toHaveLength(fill?.months ?? 0)
    expect(await checkRollups(db.writer)).toMatchObject({ different: 0 })
    expect(await queryRows(db.writer, 'SELECT sum(report_count) FROM reports_per_day_by_phase')).toEqual([[900]])
    expect(await planMigrations(db.reader, [db.reader], folder)).toEqual({
      pending: [],
      fills: [],
      rows: 0,
      seconds: 0,
    })
  })

  test('goes on with the month it was at, after it was cut off, and repeats no statement', async () => {
    await addMigrations(perDayAgain)
    const { fills } = await planMigrations(db.reader, [db.reader], folder)
    const months = fills[0]?.months ?? 0
    expect(months).toBeGreaterThan(2)
    const cutOff = migrateAgain((step) => {
      if (step.includes(', 2 of ')) throw new Error('cut off')
    })
    await expect(cutOff).rejects.toThrow('cut off')
    expect((await planMigrations(db.reader, [db.reader], folder)).fills[0]?.months).toBe(months - 1)
    const { steps } = await migrateAgain()
    expect(steps.map((step) => step.replace(/ \w+ \d+,/, ''))).toEqual(
      Array.from({ length: months - 1 }, (_, index) => `Filling ${index + 1} of ${months - 1}`),
    )
    expect(await checkRollups(db.writer)).toMatchObject({ different: 0 })
  })

  test('fills it again if a later migration changes it, although an earlier run filled it', async () => {
    await addMigrations(perDayAgain)
    const cutOff = migrateAgain((step) => {
      if (step.includes(', 2 of ')) throw new Error('cut off')
    })
    await expect(cutOff).rejects.toThrow('cut off')
    await addMigrations(
      `ALTER TABLE reports_per_day_by_phase_mv MODIFY QUERY ${perDay.slice(perDay.indexOf('SELECT tenant_id')).replace('phase,', 'upper(phase) AS phase,')}`,
    )
    await migrateAgain()
    expect(await queryRows(db.writer, 'SELECT DISTINCT phase FROM reports_per_day_by_phase')).toEqual([['DNS']])
    expect(await checkRollups(db.writer)).toMatchObject({ different: 0 })
  })
})

describe('a migration that makes a table without a bucket, which outlives reports', () => {
  test('adds what the stored reports have', async () => {
    await addMigrations(ever('phases_ever', times, 'min(received_at) AS first_seen_at'))
    await migrateAgain()
    const first = (table: string, column: string) => queryRows(db.writer, `SELECT min(${column}) FROM ${table}`)
    expect(await first('phases_ever', 'first_seen_at')).toEqual(await first('reports', 'received_at'))
  })

  test('fails if a repetition would count twice', async () => {
    await addMigrations(ever('phases_counted', counts, 'count() AS report_count'))
    await expect(migrateAgain()).rejects.toThrow(
      'phases_counted has no bucket, and sum of report_count counts rows twice',
    )
  })
})
