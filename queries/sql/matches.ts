import { dimensionRows } from '../../schema/dimensions.ts'
import type { FilterTerm } from '../../schema/report-filter.ts'
import { type Sql, sql, text, uuid } from './sql.ts'

/** `_` matches any one character, `%` itself (Rule 22); a filter never contains a backslash. */
function matchesText(column: Sql, value: string): Sql {
  return value.includes('_')
    ? sql`${column} LIKE ${text(value.replaceAll('%', '\\%'))}`
    : sql`${column} = ${text(value)}`
}

/** @param stored text: the column's ids are among other dimensions' values. */
export function matches(column: Sql, { dimension, value }: FilterTerm, stored: 'typed' | 'text' = 'typed'): Sql {
  const { match } = dimensionRows[dimension]
  if (match.kind === 'text') return matchesText(column, value)
  if (match.kind === 'uuid' && stored === 'typed') return sql`${column} = ${uuid(value)}`
  return sql`${column} = ${text(value)}`
}
