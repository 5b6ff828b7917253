import { join, name, type Sql, sql, text, uuid } from '../../queries/sql/sql.ts'
import { columnsOf, fromRaw, list, type Rollup, type RollupMeasure } from './list-rollups.ts'

interface Removed {
  readonly tenantId: string
  /** Table of the removed reports. */
  readonly copy: string
}

interface Sightings {
  /** True of rows with removed reports. */
  readonly isTouched: Sql
  /** Values of the other stored reports for these rows. */
  readonly others: Sql
  /** These rows without the removed reports. */
  readonly rows: Sql
}

/**
 * First and last sightings without removed reports. An earlier first sighting is of an expired report, and stays; the
 * last sighting is then the first one if no report is stored. The time of storing stays, so that nothing is new again.
 */
export function sightingsWithout(rollup: Rollup, rollups: readonly Rollup[], { tenantId, copy }: Removed): Sightings {
  const { table, source, measures } = rollup
  const keys = list(rollup.keys)
  const columns = columnsOf(rollup)
  const removed = fromRaw(rollup, rollups, sql`SELECT * FROM ${name(copy)}`)
  const isTouched = sql`tenant_id = ${uuid(tenantId)} AND (${keys}) IN (SELECT ${keys} FROM (${removed}))`
  const ofSource = rollup.over(sql`SELECT * FROM ${name(source)} WHERE tenant_id = ${uuid(tenantId)}`)
  const others = sql`SELECT ${columns} FROM (${ofSource}) WHERE ${isTouched}`
  const sides = ['stored', 'removed', 'other'] as const
  const sideOf = (side: (typeof sides)[number], column: string) => name(`${side}_${column}`)
  const values = sides.flatMap((side) => [
    sql`countIf(side = ${text(side)}) AS ${sideOf(side, 'rows')}`,
    ...measures.map(
      ({ column, combine }) =>
        sql`${name(`${combine}If`)}(${name(column)}, side = ${text(side)}) AS ${sideOf(side, column)}`,
    ),
  ])
  const stored = (column: string) => sideOf('stored', column)
  const isEarlier = sql`${stored(first)} < ${sideOf('removed', first)}`
  const without = ({ column, combine, type }: RollupMeasure) => {
    if (column === 'stored_at') return stored(column)
    if (column === first) return sql`if(${isEarlier}, ${stored(first)}, ${sideOf('other', first)})`
    const last = column === 'last_seen_at' ? stored(first) : sql`defaultValueOfTypeName(${text(type)})`
    return sql`if(other_rows > 0, ${sideOf('other', column)}, ${combine === 'min' ? stored(column) : last})`
  }
  const rows = sql`
    SELECT ${keys}, ${join(
      measures.map((measure) => sql`${without(measure)} AS ${name(measure.column)}`),
      ', ',
    )}
    FROM (
      SELECT ${keys}, ${join(values, ', ')}
      FROM (
        SELECT ${columns}, 'stored' AS side FROM ${name(table)} WHERE ${isTouched}
        UNION ALL
        SELECT ${columns}, 'removed' AS side FROM (${removed})
        UNION ALL
        SELECT ${columns}, 'other' AS side FROM (${others})
      )
      GROUP BY ${keys}
    )
    WHERE stored_rows > 0 AND (other_rows > 0 OR ${isEarlier})`
  return { isTouched, others, rows }
}

const first = 'first_seen_at'
