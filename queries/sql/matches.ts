import { type DimensionName, dimensionRows } from '../../schema/dimensions.ts'
import type { FilterTerm } from '../../schema/report-filter.ts'
import { type Sql, sql, text, texts, uuid, uuids } from './sql.ts'

/** `_` matches any one character, `%` itself (Rule 22); a filter never contains a backslash. */
function matchesText(column: Sql, value: string): Sql {
  return value.includes('_')
    ? sql`${column} LIKE ${text(value.replaceAll('%', '\\%'))}`
    : sql`${column} = ${text(value)}`
}

/** text: the column's ids are among other dimensions' values. */
type StoredValues = 'typed' | 'text'

export function matches(column: Sql, { dimension, value }: FilterTerm, stored: StoredValues = 'typed'): Sql {
  const { match } = dimensionRows[dimension]
  if (match.kind === 'text') return matchesText(column, value)
  if (match.kind === 'uuid' && stored === 'typed') return sql`${column} = ${uuid(value)}`
  return sql`${column} = ${text(value)}`
}

/** Equality with one of the values, without wildcards. */
export function isAmong(column: Sql, dimension: DimensionName, among: readonly string[], stored: StoredValues): Sql {
  const isUuid = dimensionRows[dimension].match.kind === 'uuid' && stored === 'typed'
  return sql`${column} IN ${isUuid ? uuids(among) : texts(among)}`
}
