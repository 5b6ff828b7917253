import { dimensionRows } from '../../schema/dimensions.ts'
import type { FilterTerm } from '../../schema/report-filter.ts'
import { type Sql, sql, text, uuid } from './sql.ts'

/** LIKE's own wildcard is a plain character to callers (decisions, Reports); a filter never holds a backslash. */
function likePattern(value: string): string {
  return value.replaceAll('%', '\\%')
}

/** Whether a text column has the value asked for, where `_` stands for any one character. */
export function matchesText(column: Sql, value: string): Sql {
  return value.includes('_') ? sql`${column} LIKE ${text(likePattern(value))}` : sql`${column} = ${text(value)}`
}

/**
 * Whether a column meets a filter term: equality, or LIKE where text has the wildcard `_`.
 * @param stored how the column holds an id: as itself, or as text among other dimensions' values.
 */
export function matches(column: Sql, { dimension, value }: FilterTerm, stored: 'typed' | 'text' = 'typed'): Sql {
  const { match } = dimensionRows[dimension]
  if (match.kind === 'text') return matchesText(column, value)
  if (match.kind === 'uuid' && stored === 'typed') return sql`${column} = ${uuid(value)}`
  return sql`${column} = ${text(value)}`
}
