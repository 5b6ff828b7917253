import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkRollups } from '../../../clickhouse/rollups/check-rollups.ts'
import { listAggregates } from '../../../clickhouse/rollups/list-rollups.ts'
import { recountDays } from '../../../clickhouse/rollups/recount-days.ts'
import { groupMonths, listRollupMonths } from '../../../clickhouse/rollups/rollup-months.ts'
import { queryRows } from '../../support/database.ts'
import { createFilledDatabase, type FilledDatabase } from '../../support/rollups.ts'

let filled: FilledDatabase
beforeAll(async () => {
  filled = await createFilledDatabase()
})
afterAll(() => filled?.drop())

const twice = { insert_deduplicate: 0 } as const
const synced = { mutations_sync: '2' } as const
const months = async () => groupMonths(await listRollupMonths(filled.writer, ['reports']))
const tablesOf = async () =>
  (await listAggregates(filled.writer)).map(({ table, keys, measures }) => ({
    table,
    columns: [...keys, ...measures.map(({ column }) => column)].join(', '),
    hasBucket: keys.includes('bucket'),
  }))

/** Every row of every rollup as text, merged. */
async function contents() {
  const tables = await tablesOf()
  const rows = tables.map(async ({ table }) => [
    table,
    await queryRows(
      filled.writer,
      `SELECT arraySort(groupArray(toString(tuple(* EXCEPT (${table === 'issue_first_seen' ? 'stored_at' : 'nothing'})))))
       FROM (SELECT * FROM ${table} FINAL)`.replace(' EXCEPT (nothing)', ''),
    ),
  ])
  return Object.fromEntries(await Promise.all(rows))
}

test('rollups that lack rows, have them twice or have those of lost reports are those of the reports again', async () => {
  const { writer } = filled
  const tables = await tablesOf()
  // A third loses its rows, a third has them twice, and the last lacks a half; then the reports of some days are gone too.
  for (const [index, { table, columns }] of tables.entries()) {
    if (index % 3 === 0) await writer.command(`TRUNCATE TABLE ${table}`)
    else if (index % 3 === 1)
      await writer.command(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${table}`, { settings: twice })
    else
      await writer.command(`ALTER TABLE ${table} DELETE WHERE cityHash64(tenant_id, report_type) % 2 = 0`, {
        settings: synced,
      })
  }
  await writer.command('ALTER TABLE reports DELETE WHERE cityHash64(id) % 5 = 0', { settings: synced })
  expect((await checkRollups(writer)).different).toBeGreaterThan(0)

  const { corrected, unsettled } = await recountDays(writer, await months())
  expect(corrected).toBeGreaterThan(0)
  expect(unsettled).toEqual([])
  expect(await checkRollups(writer)).toMatchObject({ different: 0, differences: [] })
  const once = await contents()
  expect(await recountDays(writer, await months())).toEqual({ corrected: 0, unsettled: [] })
  expect(await contents()).toEqual(once)
})
