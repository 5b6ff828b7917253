import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../../clickhouse/migrate.ts'
import { rebuildRollups, replacePartition } from '../../../clickhouse/rollups/rebuild-rollups.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { listImportSteps } from '../../../queries/tenants/imports.ts'
import { importVersion } from '../../../schema/rules/import-version.ts'
import { cli } from '../../support/cli.ts'
import { queryRows } from '../../support/database.ts'
import { createFilledDatabase, type FilledDatabase } from '../../support/rollups.ts'

let db: FilledDatabase

beforeAll(async () => {
  db = await createFilledDatabase()
})

afterAll(() => db?.drop())

const rollups = (...words: string[]) => cli(['rollups', ...words], { environment: { CLICKHOUSE_URL: db.writeUrl } })
const tablesAside = () =>
  queryRows(db.writer, "SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%rebuild%'")

describe('a rebuild', () => {
  test('a rebuild swaps each month atomically, drops its temporary tables, and reports its progress', async () => {
    const total = async () => {
      const [[sum] = []] = await queryRows(db.writer, 'SELECT sum(report_count) FROM reports_by_time')
      return sum
    }
    const before = await total()
    let [rebuilding, table] = [true, '']
    const steps: [number, number][] = []
    const onProgress = (done: number, total: number, step: string) => {
      steps.push([done, total])
      table = step
    }
    const tables = ['reports_by_time', 'reports_per_day_by_value']
    const rebuild = rebuildRollups([db.writer], { tables, onProgress }).finally(() => {
      rebuilding = false
    })
    while (rebuilding) {
      expect(await total()).toBe(before)
      if (!table.startsWith('reports_by_time ')) await sleep(50)
    }
    const { rebuilt } = await rebuild
    expect(await tablesAside()).toEqual([])
    expect(steps).toEqual(Array.from({ length: rebuilt + 1 }, (_, index) => [index, rebuilt]))
  })

  test('a rebuild drops temporary tables of killed rebuilds, not of running ones', async () => {
    const aside = (daysAgo: number) => {
      const second = Math.floor(Date.now() / 1000) - daysAgo * 86_400
      return `reports_by_time_rebuild_${second.toString(16)}0bad`
    }
    const [left, other] = [aside(2), aside(0)]
    for (const table of [left, other]) await db.writer.command(`CREATE TABLE ${table} AS reports_by_time`)
    await rebuildRollups([db.writer], { tables: ['reports_by_time'] })
    expect(await tablesAside()).toEqual([[other]])
    await db.writer.command(`DROP TABLE ${other} SYNC`)
  })

  test('replacements of a month at once leave the rows of one', async () => {
    const [table, ...sources] = ['replaced', 'source_1', 'source_2', 'source_3'] as const
    for (const made of [table, ...sources]) {
      await db.writer.command(
        `CREATE TABLE ${made} (day Date) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY day`,
      )
    }
    const insert = (source: string) => db.writer.command(`INSERT INTO ${source} SELECT '2026-01-01' FROM numbers(10)`)
    await Promise.all(sources.map(insert))
    for (let round = 0; round < 15; round++) {
      await Promise.all(sources.map((source) => replacePartition([db.writer], table, '202601', source)))
      expect(await queryRows(db.writer, `SELECT count() FROM ${table}`)).toEqual([[10]])
    }
    for (const made of [table, ...sources]) await db.writer.command(`DROP TABLE ${made} SYNC`)
  })

  test('two rebuilds at once end with the rows of one', async () => {
    // One of the reports, and one of another rollup.
    const tables = ['reports_by_time', 'reports_per_day_by_value']
    await Promise.all([rebuildRollups([db.writer], { tables }), rebuildRollups([db.writer], { tables })])
    expect(await tablesAside()).toEqual([])
    expect(JSON.parse((await rollups('check')).stdout)).toMatchObject({ different: 0, differences: [] })
  })

  test('a rebuild invalidates every cached response, as an import does', async () => {
    const mark = async () => importVersion(await db.writer.read(listImportSteps(db.tenantId, 1000)))
    const before = await mark()
    const meanwhile: Promise<string | undefined>[] = []
    await rebuildRollups([db.writer], {
      tables: ['reports_by_time'],
      onProgress: (done, total) => {
        if (done < total) meanwhile.push(mark())
      },
    })
    expect((await Promise.all(meanwhile))[0]).toBeUndefined()
    const after = await mark()
    expect(after).toBeTypeOf('string')
    expect(after).not.toBe(before)
  })
})

test('a rebuild of a table that is no rollup fails with the names of the rollups', async () => {
  const none = rollups('rebuild', '--table', 'reports')
  expect(await none).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^reports is not a rollup; the rollups are .*\breports_per_day_by_issue\b/),
  })
})

test('a migration without a rollup fills nothing and invalidates no cached response', async () => {
  const steps = () => queryRows(db.writer, 'SELECT count() FROM import_log_by_time')
  const before = await steps()
  const one = "name = '0017_retired_tokens'"
  await db.writer.command(`ALTER TABLE schema_migrations DELETE WHERE ${one} SETTINGS mutations_sync = 1`)
  const heard: string[] = []
  expect(await migrate(db.writer, { onStep: (step) => heard.push(step) })).toHaveLength(1)
  expect(heard.filter((step) => !step.startsWith('Applying '))).toEqual([])
  expect(await steps()).toEqual(before)
})

describe('the commands', () => {
  test('"rollups check" prints its result and exits 0, or 1 on a difference', async () => {
    const good = await rollups('check')
    expect(good.code).toBe(0)
    expect(JSON.parse(good.stdout)).toMatchObject({ different: 0, differences: [] })
    await db.writer.command(
      `INSERT INTO reports_per_day_by_cube SELECT * FROM reports_per_day_by_cube WHERE tenant_id = '${db.tenantId}' ORDER BY bucket DESC LIMIT 1`,
    )
    const bad = await rollups('check', '--tenant', db.tenantId)
    expect(bad.code).toBe(1)
    expect(JSON.parse(bad.stdout)).toMatchObject({
      different: 1,
      differences: [{ table: 'reports_per_day_by_cube', tenantId: db.tenantId }],
    })
    expect((await rollups('check', '--tenant', db.otherId)).code).toBe(0)
  })

  const rebuildCube = (...words: string[]) => rollups('rebuild', '--table', 'reports_per_day_by_cube', ...words)

  test('"rollups rebuild" repairs a difference and prints its result', async () => {
    const { code, stdout } = await rebuildCube()
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ rebuilt: expect.any(Number), different: 0 })
  })

  test('"rollups rebuild" fails while an import is unfinished, as reports would count twice', async () => {
    const row = { tenant_id: db.tenantId, previous_token: 'a', token: 'b', lines: 1, state: 'started' }
    const record = (state: string) => insertRows(db.writer, 'import_log', [{ ...row, state }])
    await record('started')
    await db.writer.command(
      'INSERT INTO reports_per_day_by_cube SELECT * FROM reports_per_day_by_cube ORDER BY bucket DESC, report_type DESC LIMIT 1',
    )
    expect((await rollups('check')).stderr).toContain('run it again to complete the rollups')
    const refused = await rollups('rebuild')
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(
      new RegExp(`^An import of tenant ${db.tenantId} is running or was interrupted.*--force`),
    )
    expect((await rebuildCube('--force')).code).toBe(0)
    await record('done')
    expect((await rebuildCube()).code).toBe(0)
  })

  test('"rollups check" fails for a tenant that does not exist', async () => {
    const { code, stdout, stderr } = await rollups('check', '--tenant', randomUUID())
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^There is no tenant /)
  })
})
