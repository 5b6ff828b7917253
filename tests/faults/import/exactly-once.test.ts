import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRejectedFile } from '../../../app/import/ndjson/rejected-file.ts'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { importFile, type SmallImport } from '../../support/import-file.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'
import { complete, newImport, posts, reportsIn, siteId, stored } from '../../support/posts-file.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await createMigratedDatabase()
})

afterAll(() => db?.drop())

const fileOf = (name: string, lines: string) => newImport(db.writeUrl, name, lines)
const storedOf = (given: SmallImport) => stored(db.writer, given)

/** Imports the file and gives the path of its rejected file. */
async function rejectedOf(given: SmallImport): Promise<string> {
  const file = await createRejectedFile({ path: `${given.path}.rejected.ndjson`, overwrite: true })
  await importFile({ ...given, onReject: file.write })
  return (await file.close()) ?? ''
}

/** Receipt times that no line names. */
const timesOf = ({ tenantId }: SmallImport) =>
  queryRows(
    db.writer,
    `SELECT DISTINCT received_at FROM reports WHERE tenant_id = '${tenantId}' AND received_at > '2026-11-01'`,
  )

describe('a file', () => {
  test('a file imported twice is stored once, with equal counts', async () => {
    // Four batches.
    const [lines, reports] = [350, reportsIn(0, 350)]
    const given = fileOf('twice.ndjson', posts(0, lines))
    const first = await importFile(given)
    const second = await importFile(given)
    expect(first).toEqual({
      posts: lines,
      reports,
      stored: reports,
      expired: 0,
      skipped: {},
      unknownMembers: {},
      rejected: 0,
    })
    expect(second).toEqual(first)
    expect(await storedOf(given)).toEqual(complete(reports))
  })

  test('a file that grew stores only its new lines', async () => {
    const given = fileOf('grown.ndjson', posts(0, 150).trimEnd())
    await importFile(given)
    for (const [from, to] of [
      [150, 151],
      [151, 300],
    ] as const) {
      appendFileSync(given.path, `\n${posts(from, to).trimEnd()}`)
      expect((await importFile(given)).stored).toBe(reportsIn(0, to))
      expect(await storedOf(given)).toEqual(complete(reportsIn(0, to)))
    }
  })

  test('two files with one beginning store both ends', async () => {
    const given = fileOf('one-end.ndjson', posts(0, 250))
    await importFile(given)
    writeFileSync(given.path, posts(0, 170) + posts(1_000, 1_050))
    await importFile(given)
    const { rows } = await storedOf(given)
    // Lines that both files have in the batch in which they part are stored with each.
    expect(rows).toBeGreaterThanOrEqual(reportsIn(0, 250) + reportsIn(1_000, 1_050))
  })

  test('a file imported for a site and by its hosts is two imports', async () => {
    const given = fileOf('by-site.ndjson', posts(0, 50))
    await importFile(given)
    await importFile({ ...given, siteId })
    expect((await storedOf(given)).rows).toBe(2 * reportsIn(0, 50))
  })

  test('a rejected file stores its reports once their host has a site, and nothing twice', async () => {
    const given = fileOf('late-site.ndjson', posts(0, 100) + posts(100, 150, 'late.test') + posts(150, 200))
    const [all, late] = [reportsIn(0, 200), reportsIn(100, 150)]
    const rejectedPath = await rejectedOf(given)
    expect(await importFile(given)).toMatchObject({ stored: all - late, rejected: late })
    expect(await storedOf(given)).toEqual(complete(all - late))
    const sites = [...given.sites, { id: siteId.replace('aa', 'bb'), hosts: ['*.test'] }]
    const [before] = await timesOf(given)
    for (let run = 0; run < 2; run++) {
      expect(await importFile({ ...given, path: rejectedPath, sites })).toMatchObject({ stored: late, rejected: 0 })
      expect(await storedOf(given)).toEqual(complete(all))
    }
    // Reports without a time of their own have that of the file's import.
    expect(await timesOf(given)).toEqual([before])
  })

  test('a file imported again after its host has a site rejects the same lines', async () => {
    const given = fileOf('same-rejected.ndjson', posts(0, 20) + posts(20, 30, 'late.test') + posts(30, 40))
    const [all, late] = [reportsIn(0, 40), reportsIn(20, 30)]
    const sites = [...given.sites, { id: siteId.replace('aa', 'bb'), hosts: ['late.test'] }]
    const first = readFileSync(await rejectedOf(given), 'utf8')
    const again = await rejectedOf({ ...given, sites })
    expect(readFileSync(again, 'utf8')).toBe(first)
    expect(await storedOf(given)).toEqual(complete(all - late))
    expect(await importFile({ ...given, path: again, sites })).toMatchObject({ stored: late, rejected: 0 })
    expect(await storedOf(given)).toEqual(complete(all))
  })

  test('a rejected file has only the reports of a line that were not stored', async () => {
    const [shop, late] = [JSON.parse(posts(1, 2)), JSON.parse(posts(1, 2, 'late.test'))]
    const mixed = { ...shop, body: [...shop.body, ...late.body, 7] }
    const given = fileOf('mixed.ndjson', `${JSON.stringify(mixed)}\n`)
    const sites = [...given.sites, { id: siteId.replace('aa', 'bb'), hosts: ['late.test'] }]
    const path = await rejectedOf(given)
    expect(await storedOf(given)).toEqual(complete(2))
    for (let run = 0; run < 2; run++) {
      expect(await importFile({ ...given, path, sites })).toMatchObject({ reports: 3, stored: 2, rejected: 1 })
      expect(await storedOf(given)).toEqual(complete(4))
    }
  })
})

describe('a failed import', () => {
  test.each(['start', 'write', 'finish'] as const)(
    'an import that fails at the step %s goes on from there',
    async (step) => {
      const given = fileOf(`fails-${step}.ndjson`, posts(0, 650))
      // Batches that are finished are not written again, so the third needs six.
      for (const after of [0, 1, 2]) {
        await expect(importFile({ ...given, failsAt: { step, after } })).rejects.toThrow('no further')
      }
      await importFile(given)
      expect(await storedOf(given)).toEqual(complete(reportsIn(0, 650)))
    },
  )
})

test('every rollup agrees with the reports of all these imports', async () => {
  expect(await checkRollups(db.writer)).toMatchObject({ different: 0 })
})
