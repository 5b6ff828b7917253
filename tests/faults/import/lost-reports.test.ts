import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { importFile, type SmallImport } from '../../support/import-file.ts'
import { checkImports, importWithSite } from '../../support/lost-imports.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import { complete, newImport, posts, reportsIn, stored } from '../../support/posts-file.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await createMigratedDatabase()
})

afterAll(() => db?.drop())

const [lines, reports] = [300, reportsIn(0, 300)]
const sound = 'every report in the import log of the last 7 days is stored'
const storedOf = (given: SmallImport) => stored(db.writer, given)
const doctor = () => checkImports(db.writer)
const rollupsOf = ({ tenantId }: SmallImport) => checkRollups(db.writer, { tenantId })

const partsOf = async (table: string) =>
  (
    await queryRows(
      db.writer,
      `SELECT name FROM system.parts WHERE database = currentDatabase() AND table = '${table}' AND active ORDER BY min_block_number`,
    )
  ).flat()

/** Runs an import, and drops of the parts that it made in each table every so many. */
async function importAndLose(given: SmallImport, everyPart: Readonly<Record<string, number>>): Promise<void> {
  const tables = Object.entries(everyPart)
  for (const [table] of tables) await db.writer.command(`SYSTEM STOP MERGES ${table}`)
  const before = await Promise.all(tables.map(([table]) => partsOf(table)))
  await importFile(given)
  for (const [at, [table, every]] of tables.entries()) {
    const made = (await partsOf(table)).filter((part) => !before[at]?.includes(part))
    for (const part of made.filter((_, index) => index % every === 0)) {
      await db.writer.command(`ALTER TABLE ${table} DROP PART '${part}'`)
    }
  }
  for (const [table] of tables) await db.writer.command(`SYSTEM START MERGES ${table}`)
}

describe('an import of which reports lacks parts', () => {
  const lossy = { reports: 3, reports_by_time: 2, reports_per_day_by_issue: 4 }

  test('doctor names its batches, and the same import stores exactly what is gone', async () => {
    const given = await importWithSite(db.writer, db.writeUrl, 'lost.ndjson', posts(0, lines))
    expect(await doctor()).toBe(sound)
    await importAndLose({ ...given, boot: 'first' }, lossy)
    const { rows } = await storedOf(given)
    expect(rows).toBeLessThan(reports)
    const found = await doctor()
    expect(found).toMatch(/are missing, for example after a power cut: \d+ of the batch [0-9a-f]{64} of tenant/)
    expect(found).toContain(`of tenant ${given.tenantId}, stored at ${new Date().toISOString().slice(0, 10)}`)

    const result = await importFile({ ...given, boot: 'second' })
    expect(result).toMatchObject({ stored: reports, restored: reports - Number(rows) })
    expect(await storedOf(given)).toEqual(complete(reports))
    expect(await rollupsOf(given)).toMatchObject({ different: 0 })
    expect(await doctor()).toBe(sound)
    expect(await importFile({ ...given, boot: 'second' })).not.toHaveProperty('restored')
    expect(await storedOf(given)).toEqual(complete(reports))
  })

  test('an import that ends before it has counted the rollups anew counts them when it is run again', async () => {
    const given = await importWithSite(db.writer, db.writeUrl, 'ended.ndjson', posts(0, lines))
    await importAndLose({ ...given, boot: 'first' }, lossy)
    const failsAt = { step: 'restore', after: 1 } as const
    await expect(importFile({ ...given, boot: 'second', failsAt })).rejects.toThrow('no further')
    await importFile({ ...given, boot: 'second' })
    expect(await storedOf(given)).toEqual(complete(reports))
    expect(await rollupsOf(given)).toMatchObject({ different: 0 })
    expect(await doctor()).toBe(sound)
  })

  test('rollups that a restart of the machine took parts of are counted anew, though no report is gone', async () => {
    const given = await importWithSite(db.writer, db.writeUrl, 'rollups.ndjson', posts(0, lines))
    await importAndLose({ ...given, boot: 'first' }, { reports_by_time: 2 })
    expect((await rollupsOf(given)).different).toBeGreaterThan(0)
    expect(await importFile({ ...given, boot: 'second' })).not.toHaveProperty('restored')
    expect(await rollupsOf(given)).toMatchObject({ different: 0 })
    expect(await storedOf(given)).toEqual(complete(reports))
  })
})

describe('doctor is silent on reports that are gone rightly', () => {
  test('expired ones', async () => {
    const given = await importWithSite(db.writer, db.writeUrl, 'expired.ndjson', posts(0, lines))
    const importedAt = new Date('2026-10-01T00:00:00Z')
    await importFile({ ...given, retentionDays: 30, importedAt })
    await db.writer.command('OPTIMIZE TABLE reports FINAL')
    expect((await storedOf(given)).rows).toBe(0)
    expect(await doctor()).toBe(sound)
    const again = await importFile({ ...given, retentionDays: 30, boot: 'other' })
    expect(again).toMatchObject({ stored: 0, expired: reports })
    expect(again).not.toHaveProperty('restored')
  })

  test('those of a site that is deleted', async () => {
    const given = newImport(db.writeUrl, 'deleted.ndjson', posts(0, lines))
    await importAndLose(given, { reports: 1 })
    expect((await storedOf(given)).rows).toBe(0)
    expect(await doctor()).toBe(sound)
  })
})
