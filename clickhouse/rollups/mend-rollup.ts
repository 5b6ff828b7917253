/** @module Makes a rollup with a bucket what it would be without removed reports. */

import type { Database } from '../../queries/clickhouse/database.ts'
import { bucketTime, rawTime, type TimeColumn } from '../../queries/rollups/columns.ts'
import { inRanges } from '../../queries/rollups/table-slices.ts'
import { join, name, type Sql, sql, texts, uint, uuid } from '../../queries/sql/sql.ts'
import { columnsOf, fromRaw, isSum, list, type Rollup, type RollupMeasure, rawTable } from './list-rollups.ts'
import { partitionId } from './rebuild-rollups.ts'
import { hideRows, run, type Span } from './removal-tables.ts'

export interface RemovedReports {
  readonly tenantId: string
  /** Database of the DDL statements, which reach all databases of `spans`. */
  readonly ddl: Database
  readonly spans: ReadonlyMap<Database, readonly Span[]>
  /** Table of the removed reports. */
  readonly copy: string
  /** Rollups and their sources. */
  readonly rollups: readonly Rollup[]
  /** False if counts may be corrected already, and must not be corrected twice. */
  readonly canSubtract: boolean
}

/** Rows of the tenant, of the span's days and types. */
export const within = (tenantId: string, { from, to, types }: Span, time: TimeColumn): Sql =>
  sql`tenant_id = ${uuid(tenantId)} AND report_type IN ${texts(types)} AND ${inRanges(time, [{ from, to }])}`

/** Fills `fresh` with the new values of the keys in `touched`, and puts them in place month by month. */
export async function mendRollup(
  rollup: Rollup,
  { tenantId, ddl, spans, copy, rollups, canSubtract }: RemovedReports,
  { fresh, touched }: { readonly fresh: string; readonly touched: string },
): Promise<void> {
  const { table, source } = rollup
  const columns = columnsOf(rollup)
  const identity = join(
    rollup.keys.map((key) => notNull(rollup, key)),
    ', ',
  )
  for (const work of [fresh, touched]) {
    await run(ddl, sql`DROP TABLE IF EXISTS ${name(work)} SYNC`)
    await run(ddl, sql`CREATE TABLE ${name(work)} AS ${name(table)}`)
  }
  const isTouched = (span: Span) => sql`
    (${identity}) IN (SELECT ${identity} FROM ${name(touched)} WHERE ${within(tenantId, span, bucketTime)})`
  for (const [database, ofDatabase] of spans) {
    for (const span of ofDatabase) {
      const ofSpan = (time: TimeColumn) => within(tenantId, span, time)
      const removed = fromRaw(rollup, rollups, sql`SELECT * FROM ${name(copy)} WHERE ${ofSpan(rawTime)}`)
      await run(database, sql`INSERT INTO ${name(touched)} (${columns}) SELECT ${lasting(rollup)} FROM (${removed})`)
      const time = source === rawTable ? rawTime : bucketTime
      const others =
        canSubtract && span.hasOneRetention && rollup.measures.every(isCount)
          ? subtracted(rollup, touched, sql`${ofSpan(bucketTime)} AND ${isTouched(span)}`)
          : sql`
            SELECT ${columns} FROM (${rollup.over(sql`SELECT * FROM ${name(source)} WHERE ${ofSpan(time)}`)})
            WHERE ${isTouched(span)}`
      await run(database, sql`INSERT INTO ${name(fresh)} (${columns}) ${others}`)
    }
  }
  for (const partition of new Set([...spans.values()].flat().map((span) => span.partition))) {
    for (const [database, ofDatabase] of spans) {
      for (const span of ofDatabase.filter((one) => one.partition === partition)) {
        await hideRows(database, table, sql`${within(tenantId, span, bucketTime)} AND ${isTouched(span)}`)
      }
    }
    // Moved and not inserted, so that no view counts the rows in another rollup.
    const id = partitionId(partition)
    await run(ddl, sql`ALTER TABLE ${name(fresh)} MOVE PARTITION ID ${id} TO TABLE ${name(table)}`)
  }
}

/** Rows of `touched` must not expire before they are read. */
const touchedRetentionDays = 3_650

const notNull = ({ nullableKeys }: Rollup, key: string): Sql =>
  nullableKeys.includes(key) ? sql`ifNull(toString(${name(key)}), '')` : name(key)

/** A count or a weight, or the retention, which stays if all reports have the same. */
const isCount = (measure: RollupMeasure) => isSum(measure) || measure.column === 'retention_days'

const lasting = ({ keys, measures }: Rollup): Sql => {
  const days = sql`toUInt16(${uint(touchedRetentionDays)}) AS retention_days`
  const values = measures.map(({ column }) => (column === 'retention_days' ? days : name(column)))
  return join([...keys.map(name), ...values], ', ')
}

/** Rows of a rollup less those of removed reports. */
function subtracted(rollup: Rollup, removed: string, where: Sql): Sql {
  const { table, keys, measures } = rollup
  const columns = columnsOf(rollup)
  const values = measures.map(({ column, combine }) => {
    const of = (side: Sql) => sql`${name(`${combine}If`)}(merged.${name(column)}, ${side})`
    const isKept = combine !== 'sum'
    return sql`${isKept ? of(sql`stored`) : sql`toUInt64(${of(sql`stored`)} - ${of(sql`NOT stored`)})`} AS ${name(column)}`
  })
  return sql`
    SELECT ${list(keys)}, ${join(values, ', ')}
    FROM (
      SELECT ${columns}, true AS stored FROM ${name(table)} WHERE ${where}
      UNION ALL
      SELECT ${columns}, false AS stored FROM ${name(removed)} WHERE ${where}
    ) AS merged
    GROUP BY ${list(keys)}
    HAVING report_count > 0`
}
