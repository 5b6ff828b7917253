import type { Database, StatementOptions } from '../../queries/clickhouse/database.ts'
import { poolSettings, queryPools } from '../../queries/clickhouse/query-pools.ts'
import { bucketTime, rawTime } from '../../queries/rollups/columns.ts'
import { at, join, name, render, type Sql, sql, text, uint } from '../../queries/sql/sql.ts'
import { dayMs } from '../../schema/durations.ts'
import { mutationSettings } from '../cluster/shared-ddl.ts'
import { fromRaw, type Rollup, type RollupMeasure, rawTable } from './list-rollups.ts'
import { partitionId } from './rebuild-rollups.ts'
import { inMonth, type RollupMonth } from './rollup-months.ts'

export interface Refresh {
  readonly rollup: Rollup
  /** Every rollup, because a rollup can be the source of another. */
  readonly rollups: readonly Rollup[]
  /** Table of the reports that were retracted and deleted. */
  readonly copy: string
  /** Table like the rollup, for the keys of such reports. */
  readonly touched: string
  readonly month: RollupMonth
  /** Shortest retention of the tenant's reports in the month; undefined if it has none. */
  readonly retentionDays: number | undefined
}

/**
 * Longer than the age of reports that the collector stores now; older reports in its log are held until the deletion
 * ends.
 */
const recentMs = dayMs

/** No row of `touched` expires while it is read. */
const touchedRetentionDays = 3_650

/**
 * Updates values that are not sums to those of the remaining reports, in the rollup's rows of retracted reports, and
 * deletes rows without any report. A mutation changes the parts that are stored before it and reads the reports after
 * that, so each changed row has its reports. Rows stored later have their own.
 */
export async function refreshExtremes(database: Database, refresh: Refresh): Promise<void> {
  const { rollup, rollups, copy, touched, month, retentionDays } = refresh
  const keys = join(rollup.keys.map(name), ', ')
  const rowsOf = (table: string, further: Sql = sql``) =>
    fromRaw(rollup, rollups, sql`SELECT * FROM ${name(table)} WHERE ${inMonth(month, rawTime)}${further}`)
  const run = async (statement: Sql, settings: Record<string, string | number>) => {
    const { text, params } = render(statement)
    await database.command(text, { params, settings: settings as NonNullable<StatementOptions['settings']> })
  }
  // The same rows can have been stored by an interrupted run.
  const insertSettings = { ...poolSettings(queryPools.maintenance), insert_deduplicate: 0 }

  await run(
    sql`
      INSERT INTO ${name(touched)} (${keys}, report_count, retention_days)
      SELECT ${keys}, countIf(stays), ${uint(touchedRetentionDays)}
      FROM (
        SELECT ${keys}, false AS stays FROM (${rowsOf(copy)})
        UNION ALL
        SELECT ${keys}, true AS stays FROM (${rowsOf(rawTable)})
      )
      GROUP BY ${keys}
      HAVING NOT min(stays)`,
    insertSettings,
  )
  const isTouched = sql`(${keys}) IN (SELECT ${keys} FROM ${name(touched)} WHERE ${inMonth(month, bucketTime)})`
  const isGone = sql`(${keys}) IN (
    SELECT ${keys} FROM ${name(touched)} WHERE report_count = 0 AND ${inMonth(month, bucketTime)})`
  const recent = sql` AND received_at >= ${at(new Date(Date.now() - recentMs))}`
  const isNew = sql`(${keys}) IN (SELECT ${keys} FROM (${rowsOf(rawTable, recent)}))`
  const where = inMonth(month, bucketTime)
  const within = sql`IN PARTITION ID ${partitionId(month.partition)}`
  const values = join(
    rollup.measures.flatMap((measure) => neutral(measure, month, retentionDays ?? 0)),
    ', ',
  )
  await run(
    sql`
      ALTER TABLE ${name(rollup.table)}
      DELETE ${within} WHERE ${where} AND ${isGone} AND NOT ${isNew},
      UPDATE ${values} ${within} WHERE ${where} AND ${isTouched}`,
    mutationSettings,
  )
  const columns = join([...rollup.keys, ...rollup.measures.map(({ column }) => column)].map(name), ', ')
  const extremes = rollup.measures.map(({ column, combine }) => (combine === 'sum' ? sql`toUInt64(0)` : name(column)))
  await run(
    sql`
      INSERT INTO ${name(rollup.table)} (${columns})
      SELECT ${keys}, ${join(extremes, ', ')} FROM (${rowsOf(rawTable)}) WHERE ${isTouched}`,
    insertSettings,
  )
}

/** Value that any report's value replaces; for a retention, at most that of any report, so that no row expires. */
function neutral({ column, combine, type }: RollupMeasure, { to }: RollupMonth, retentionDays: number): Sql[] {
  if (combine === 'sum') return []
  if (column === 'retention_days') return [sql`${name(column)} = least(${name(column)}, ${uint(retentionDays)})`]
  if (combine === 'max') return [sql`${name(column)} = defaultValueOfTypeName(${text(type)})`]
  return [sql`${name(column)} = ${at(to)}`]
}
