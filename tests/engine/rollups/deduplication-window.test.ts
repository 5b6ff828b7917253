import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, queryRows, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database?.drop())

/** Inserts after which a table with so many views on the same source stores a block of the first token twice. */
async function forgottenAfter(views: number, window: number): Promise<number> {
  const { writer } = database
  const name = `of_${views}`
  const settings = `SETTINGS non_replicated_deduplication_window = ${window}`
  await writer.command(`CREATE TABLE ${name} (at DateTime, id UInt32) ENGINE = MergeTree ORDER BY id ${settings}`)
  await writer.command(`CREATE TABLE ${name}_counts (id UInt32) ENGINE = MergeTree ORDER BY id ${settings}`)
  for (let view = 0; view < views; view++) {
    await writer.command(
      `CREATE MATERIALIZED VIEW ${name}_${view} TO ${name}_counts AS SELECT id + ${view} AS id FROM ${name}`,
    )
  }
  const insert = (token: number) =>
    writer.command(`INSERT INTO ${name} SELECT now(), ${token * 100}`, {
      settings: {
        insert_deduplicate: 1,
        deduplicate_blocks_in_dependent_materialized_views: 1,
        insert_deduplication_token: `${name} ${token}`,
      },
    })
  const counted = async () =>
    Number((await queryRows(writer, `SELECT count() FROM ${name}_counts WHERE id < 100`))[0]?.[0])
  await insert(0)
  const before = await counted()
  for (let others = 1; ; others++) {
    await insert(others)
    await insert(0)
    if ((await counted()) !== before) return others
  }
}

test('a rollup with three views forgets a token after a third of the inserts that one with a view does', async () => {
  const window = 12
  expect(await forgottenAfter(1, window)).toBe(window)
  expect(await forgottenAfter(3, window)).toBe(window / 3)
})
