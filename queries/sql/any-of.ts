import { join, type Sql, sql } from './sql.ts'

/** At least one condition. */
export function anyOf(conditions: readonly Sql[]): Sql {
  const [only, ...others] = conditions
  return only && others.length === 0 ? only : sql`(${join(conditions, ' OR ')})`
}
