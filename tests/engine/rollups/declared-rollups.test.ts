import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAggregates, listRollups, rawTable } from '../../../clickhouse/rollups/list-rollups.ts'
import { rollupSets } from '../../../queries/rollups/select-rollup.ts'
import { render } from '../../../queries/sql/sql.ts'
import { type DimensionName, dimensionNames } from '../../../schema/dimensions.ts'
import { dayMs, hourMs, minuteMs } from '../../../schema/durations.ts'
import { dimensionsOf, reportTypeNames, reportTypeRows } from '../../../schema/report-types.ts'
import { queryRows } from '../../support/database.ts'
import { createFilledDatabase, type FilledDatabase } from '../../support/rollups.ts'

let db: FilledDatabase

beforeAll(async () => {
  db = await createFilledDatabase()
})

afterAll(() => db?.drop())

test('each table that expires by retention_days removes expired rows at most once in 14 days', async () => {
  const tables = await queryRows(
    db.writer,
    "SELECT name, extract(engine_full, 'merge_with_ttl_timeout = (\\\\d+)') FROM system.tables WHERE database = currentDatabase() AND engine_full LIKE '% TTL %retention_days%'",
  )
  const rollups = await listRollups(db.writer)
  expect(tables.map(([table]) => table).sort()).toEqual(['reports', ...rollups.map(({ table }) => table)].sort())
  expect(new Set(tables.map(([, seconds]) => seconds))).toEqual(new Set([String((14 * dayMs) / 1000)]))
})

test('no table that a block fills merges its largest part with each small one', async () => {
  const setting = 'merge_selector_enable_heuristic_to_remove_small_parts_at_right'
  const tables = await queryRows(
    db.writer,
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine_full LIKE '%${setting} = 0%'`,
  )
  const filled = (await listAggregates(db.writer)).map(({ table }) => table)
  expect(tables.map(([table]) => table).sort()).toEqual([rawTable, 'import_log_by_time', ...new Set(filled)].sort())
})

const allRollups = rollupSets.flatMap((set) => set.rollups)

const held = (reportType: unknown, dimensions: readonly string[]) => `${reportType} by ${dimensions}`

/** The report types of a rollup of counts, each with dimensions that it holds together. */
function declared(table: string): string[] {
  const ofTable = rollupSets.filter(({ rollups }) => rollups.some((rollup) => rollup.table === table))
  return ofTable.flatMap(({ typesWith, ofIssue, dimensions, isSingle }) =>
    reportTypeNames.flatMap((type) => {
      const ofType = dimensionsOf(type)
      if ((typesWith && !ofType.includes(typesWith)) || (ofIssue && !reportTypeRows[type].issue)) return []
      const carried = dimensions.filter((dimension) => ofType.includes(dimension))
      return isSingle ? carried.map((dimension) => held(type, [dimension])) : held(type, dimensions)
    }),
  )
}

/** The same by the table's rows and its sorting key, in the order of its columns. */
async function stored(table: string): Promise<string[]> {
  const sortingKey = `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = '${table}' AND is_in_sorting_key ORDER BY position`
  const keys = (await queryRows(db.writer, sortingKey)).flat()
  const named = keys.find((key) => key === 'dimension' || key === 'dimensions')
  const rollup = allRollups.find((one) => one.table === table)
  const columnOf = (dimension: DimensionName) => rollup && render(rollup.column(dimension)).text
  const columns = keys.flatMap((key) => dimensionNames.filter((dimension) => columnOf(dimension) === key))
  const counted = `report_type IN ('${reportTypeNames.join("', '")}')`
  const rows = await queryRows(
    db.writer,
    `SELECT DISTINCT report_type, ${named ?? "''"} FROM ${table} WHERE ${counted}`,
  )
  return rows.map(([type, names]) => held(type, named ? String(names).split(',') : columns))
}

const grainNames = { 1: 'millisecond', [minuteMs]: 'minute', [hourMs]: 'hour', [dayMs]: 'day' }

test('every declared rollup has its bucket length', async () => {
  const ofOneGrain = allRollups.filter(({ grains }) => grains.length === 1)
  const said = ofOneGrain.map(({ table, grains: [grain = 0] }) => [
    table,
    `Start of the ${grainNames[grain]} of received_at`,
  ])
  const requested =
    "SELECT table, comment FROM system.columns WHERE database = currentDatabase() AND name = 'bucket' AND comment != ''"
  const rows = await queryRows(db.writer, requested)
  expect(rows).toEqual(expect.arrayContaining(said))
})

test.each(allRollups.filter(({ grains }) => grains.length > 1))(
  'each declared grain of $table counts every report, in buckets of its length',
  async ({ table, grains, ofGrain }) => {
    const [[stored] = []] = await queryRows(db.writer, 'SELECT count() FROM reports')
    for (const grain of grains) {
      const rows = ofGrain?.[grain]
      if (!rows) throw new Error(`${table} has no condition for the rows of ${grain} ms`)
      const aligned = `countIf(toUnixTimestamp64Milli(bucket) % ${grain} != 0)`
      const counts = `SELECT sum(report_count), ${aligned} FROM ${table} WHERE ${render(rows).text}`
      expect(await queryRows(db.writer, counts)).toEqual([[stored, 0]])
    }
  },
)

test.each([...new Set(rollupSets.flatMap(({ rollups }) => rollups.map(({ table }) => table)))])(
  '%s holds the report types and dimensions that it is declared with',
  async (table) => {
    expect((await stored(table)).sort()).toEqual(declared(table).sort())
  },
)

test('every declared rollup has noise apart from the rest, as its counts of both', async () => {
  const noise = await queryRows(db.writer, 'SELECT countIf(noise), countIf(NOT noise) FROM reports')
  const tables = [...new Set(allRollups.map(({ table }) => table))]
  const columns = await queryRows(
    db.writer,
    "SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'noise' AND is_in_sorting_key",
  )
  expect(columns.flat()).toEqual(expect.arrayContaining(tables))
  const hours =
    "SELECT sumIf(report_count, noise), sumIf(report_count, NOT noise) FROM reports_by_time WHERE grain = 'hour'"
  expect(await queryRows(db.writer, hours)).toEqual(noise)
})
