import { type Bound, name, type Sql, sql } from './sql.ts'

/** No condition for an undefined value. */
export function equals<Value>(column: string, bind: (value: Value) => Bound, value: Value | undefined): Sql[] {
  return value === undefined ? [] : [sql`${name(column)} = ${bind(value)}`]
}
