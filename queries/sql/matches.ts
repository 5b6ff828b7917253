import { hash } from 'node:crypto'
import { type DimensionName, dimensionRows } from '../../schema/dimensions.ts'
import type { FilterTerm } from '../../schema/report-filter.ts'
import type { ValueCondition } from '../../schema/value-filters.ts'
import { type Bound, empty, join, name, type Sql, sql, text, texts, uint64s, uuid, uuids } from './sql.ts'

/** At least one condition. */
export function anyOf(conditions: readonly Sql[]): Sql {
  const [only, ...others] = conditions
  return only && others.length === 0 ? only : sql`(${join(conditions, ' OR ')})`
}

/** `WHERE …`, after `PREWHERE …` if there are conditions whose columns are read first. */
export function where(conditions: readonly Sql[], first: readonly Sql[] = []): Sql {
  const prewhere = first.length > 0 ? sql`PREWHERE ${join(first, ' AND ')} ` : empty
  return sql`${prewhere}WHERE ${join(conditions, ' AND ')}`
}

/** No condition for an undefined value. */
export function equals<Value>(column: string, bind: (value: Value) => Bound, value: Value | undefined): Sql[] {
  return value === undefined ? [] : [sql`${name(column)} = ${bind(value)}`]
}

const isPattern = (value: string) => value.includes('_')

/** Whether the condition is met by values that it does not name. */
export const meetsOthers = ({ operator, values }: ValueCondition) => operator !== 'any' || values.some(isPattern)

const negatedIf = (negated: boolean, condition: Sql) => (negated ? sql`NOT (${condition})` : condition)

/** `_` matches any one character, `%` only itself (Rule 22); a filter never contains a backslash. */
export function matchesText(column: Sql, { operator, values }: ValueCondition): Sql {
  if (operator === 'contains') {
    const [part = ''] = values
    return sql`position(${column}, ${text(part)}) > 0`
  }
  const exact = values.filter((value) => !isPattern(value))
  const patterns = values.filter(isPattern)
  const [first, ...others] = exact
  const conditions = [
    ...(first === undefined
      ? []
      : [others.length > 0 ? sql`${column} IN ${texts(exact)}` : sql`${column} = ${text(first)}`]),
    ...patterns.map((pattern) => sql`${column} LIKE ${text(pattern.replaceAll('%', '\\%'))}`),
  ]
  return negatedIf(operator === 'not', anyOf(conditions))
}

/** text: the column's ids are among other dimensions' values. */
type StoredValues = 'typed' | 'text'

export function matches(column: Sql, term: FilterTerm, stored: StoredValues = 'typed'): Sql {
  const { match } = dimensionRows[term.dimension]
  if (match.kind !== 'uuid' || stored === 'text') return matchesText(column, term)
  // Every report has an id, so the empty value matches none.
  const [first, ...others] = term.values.filter((id) => id !== '')
  if (first === undefined) return term.operator === 'not' ? sql`true` : sql`false`
  const isOneOf = others.length > 0 ? sql`${column} IN ${uuids([first, ...others])}` : sql`${column} = ${uuid(first)}`
  return negatedIf(term.operator === 'not', isOneOf)
}

/** Equality with one of the values, without wildcards. */
export function isAmong(column: Sql, dimension: DimensionName, among: readonly string[], stored: StoredValues): Sql {
  const isUuid = dimensionRows[dimension].match.kind === 'uuid' && stored === 'typed'
  return sql`${column} IN ${isUuid ? uuids(among) : texts(among)}`
}

/** First half of the MD5 of each: URLs would be too long to send. */
export const halfMd5s = (texts: readonly string[]): Sql =>
  sql`${uint64s(texts.map((text) => hash('md5', text, 'buffer').readBigUInt64BE()))}`
