import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { importFile, type SmallImport } from '../../support/import-file.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import { complete, newImport, posts, reportsIn, stored } from '../../support/posts-file.ts'
import { spawnScript } from '../../support/spawn-script.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await createMigratedDatabase()
})

afterAll(() => db?.drop())

const fileOf = (name: string, lines: string) => newImport(db.writeUrl, name, lines)
const storedOf = (given: SmallImport) => stored(db.writer, given)

describe('a killed importer', () => {
  test('an importer killed again and again stores every report once when it finishes', async () => {
    const given = fileOf('killed.ndjson', posts(0, 1_500))
    const argument = JSON.stringify(given)
    for (const kill of [1, 2, 3, 4]) {
      const importer = spawnScript('tests/support/import-file.ts', [argument], {})
      await importer.printed(new RegExp(`(read \\d+\\s+){${kill}}`))
      // From one batch to the next: before its record, during its insert, or before the record that it is done.
      await sleep(kill * 7)
      importer.child.kill('SIGKILL')
      await importer.ended()
    }
    const before = (await storedOf(given)).rows
    expect(before).toBeLessThan(reportsIn(0, 1_500))
    expect((await importFile(given)).stored).toBe(reportsIn(0, 1_500))
    expect(await storedOf(given)).toEqual(complete(reportsIn(0, 1_500)))
    const times = `SELECT uniqExact(received_at) FROM reports WHERE tenant_id = '${given.tenantId}' AND received_at > '2026-11-01'`
    // Bare bodies got the time of the run that began their batch.
    expect((await queryRows(db.writer, times))[0]?.[0]).toBeLessThanOrEqual(5)
  })
})

test('every rollup agrees with the reports of all these imports', async () => {
  expect(await checkRollups(db.writer)).toMatchObject({ different: 0 })
})
