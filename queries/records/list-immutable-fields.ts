import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { join, name, type Sql, sql, text } from '../sql/sql.ts'
import { type RecordIds, withIds } from './with-ids.ts'

const row = z.object({ id: z.string(), fixed: z.array(z.string()) })

/** A column that reads as `mutableWhile` if the condition holds. */
export interface SettlingColumn {
  readonly column: string
  readonly mutableWhile: string | undefined
  readonly alsoWhile?: Sql | undefined
}

function settledValue(given: string | SettlingColumn): Sql {
  const {
    column,
    mutableWhile = '',
    alsoWhile,
  } = typeof given === 'string' ? ({ column: given } as SettlingColumn) : given
  const value = sql`toString(${name(column)})`
  return alsoWhile ? sql`if(${alsoWhile}, ${text(mutableWhile)}, ${value})` : value
}

export function listImmutableFields(
  table: string,
  columns: readonly (string | SettlingColumn)[],
  records: RecordIds,
): Query<z.infer<typeof row>> {
  const values = join(columns.map(settledValue), ', ')
  return {
    name: 'listImmutableFields',
    statement: sql`
      SELECT toString(id) AS id, [${values}] AS fixed
      FROM ${name(table)} FINAL
      WHERE ${withIds(table, records)}`,
    row,
  }
}
