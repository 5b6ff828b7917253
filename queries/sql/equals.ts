import { type Bound, name, type Sql, sql } from './sql.ts'

/** The condition that a column has the value asked for; none where no value is asked for. */
export function equals<Value>(column: string, bind: (value: Value) => Bound, value: Value | undefined): Sql[] {
  return value === undefined ? [] : [sql`${name(column)} = ${bind(value)}`]
}
