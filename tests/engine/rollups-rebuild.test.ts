import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rebuildRollups } from '../../clickhouse/rebuild-rollups.ts'
import { insertRows } from '../../queries/insert-rows.ts'
import { importMark } from '../../queries/rules/import-mark.ts'
import { listImportSteps } from '../../queries/tenants/list-import-steps.ts'
import { cli } from '../support/cli.ts'
import { askRows } from '../support/database.ts'
import { createFilledDatabase, type FilledDatabase } from '../support/rollups.ts'

let db: FilledDatabase

beforeAll(async () => {
  db = await createFilledDatabase()
})

afterAll(() => db?.drop())

const rollups = (...words: string[]) => cli(['rollups', ...words], { environment: { CLICKHOUSE_URL: db.writeUrl } })
const tablesAside = () =>
  askRows(db.writer, "SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%rebuild%'")

describe('a rebuild', () => {
  test('shows its readers the old rows or the new ones, never a part, and leaves no table behind', async () => {
    const total = async () => {
      const [[sum] = []] = await askRows(db.writer, 'SELECT sum(report_count) FROM type_counts_hour')
      return sum
    }
    const before = await total()
    let rebuilding = true
    const rebuilt = rebuildRollups(db.writer).finally(() => {
      rebuilding = false
    })
    while (rebuilding) expect(await total()).toBe(before)
    await rebuilt
    expect(await tablesAside()).toEqual([])
  })

  test('takes away what a rebuild that was cut off left behind', async () => {
    await db.writer.command('CREATE TABLE type_counts_hour_rebuild_0badcafe AS type_counts_hour')
    expect(await tablesAside()).toHaveLength(1)
    await rebuildRollups(db.writer)
    expect(await tablesAside()).toEqual([])
  })

  test('ends every answer that is kept, as an import does, month by month', async () => {
    const mark = async () => importMark(await db.writer.read(listImportSteps(db.tenantId, 1000)))
    const before = await mark()
    const meanwhile: Promise<string | undefined>[] = []
    await rebuildRollups(db.writer, {
      tables: ['type_counts_hour'],
      onProgress: (done, total) => {
        if (done < total) meanwhile.push(mark())
      },
    })
    expect((await Promise.all(meanwhile))[0]).toBeUndefined()
    const after = await mark()
    expect(after).toBeTypeOf('string')
    expect(after).not.toBe(before)
  })

  test('says how far it is', async () => {
    const steps: [number, number][] = []
    const { rebuilt } = await rebuildRollups(db.writer, { onProgress: (done, total) => steps.push([done, total]) })
    expect(steps).toEqual(Array.from({ length: rebuilt + 1 }, (_, index) => [index, rebuilt]))
  })
})

test('a rebuild of a table that is no rollup names those there are', async () => {
  const none = rollups('rebuild', '--table', 'reports')
  expect(await none).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^reports is not a rollup; there are .*\bissues_day\b/),
  })
})

describe('the commands', () => {
  test('"rollups check" exits 0 with what it compared, and 1 on a difference', async () => {
    const good = await rollups('check')
    expect(good.code).toBe(0)
    expect(JSON.parse(good.stdout)).toMatchObject({ different: 0, differences: [] })
    await db.writer.command(
      `INSERT INTO cube_counts_day SELECT * FROM cube_counts_day WHERE tenant_id = '${db.tenantId}' ORDER BY bucket DESC LIMIT 1`,
    )
    const bad = await rollups('check', '--tenant', db.tenantId)
    expect(bad.code).toBe(1)
    expect(JSON.parse(bad.stdout)).toMatchObject({
      different: 1,
      differences: [{ table: 'cube_counts_day', tenantId: db.tenantId }],
    })
    expect((await rollups('check', '--tenant', db.otherId)).code).toBe(0)
  })

  test('"rollups rebuild" heals and says so', async () => {
    const { code, stdout } = await rollups('rebuild')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ rebuilt: expect.any(Number), different: 0 })
  })

  test('"rollups rebuild" refuses while an import is cut off, as its reports would be counted twice', async () => {
    const row = { tenant_id: db.tenantId, previous_token: 'a', token: 'b', lines: 1, state: 'started' }
    const record = (state: string) => insertRows(db.writer, 'import_batches', [{ ...row, state }])
    await record('started')
    await db.writer.command(
      'INSERT INTO cube_counts_day SELECT * FROM cube_counts_day ORDER BY bucket DESC, report_type DESC LIMIT 1',
    )
    expect((await rollups('check')).stderr).toContain('run it again, which completes the rollups')
    const refused = await rollups('rebuild')
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(new RegExp(`^An import of tenant ${db.tenantId} is running or was cut off.*--force`))
    expect((await rollups('rebuild', '--force')).code).toBe(0)
    await record('done')
    expect((await rollups('rebuild')).code).toBe(0)
  })

  test('"rollups check" refuses a tenant that does not exist', async () => {
    const { code, stdout, stderr } = await rollups('check', '--tenant', randomUUID())
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^There is no tenant /)
  })
})
