/** @module Fields of records that a repeated import must not change, of one tenant or global ones. */

import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { empty, join, name, type Sql, sql, text, texts, uuid } from '../sql/sql.ts'

const immutableFieldRow = z.object({ id: z.string(), fixed: z.array(z.string()) })

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
): Query<z.infer<typeof immutableFieldRow>> {
  const values = join(columns.map(settledValue), ', ')
  return {
    name: 'listImmutableFields',
    statement: sql`
      SELECT toString(id) AS id, [${values}] AS fixed
      FROM ${name(table)} FINAL
      WHERE ${withIds(table, records)}`,
    row: immutableFieldRow,
  }
}

const preservedColumnRow = z.object({ id: z.string(), value: z.string() })

interface PreservedRecords extends RecordIds {
  /** Narrows by primary key. */
  readonly around: Sql
  /** If false, the value is '', because texts are long. */
  readonly withValue: boolean
}

/** Records with a text. */
export function listPreservedColumn(
  table: string,
  column: string,
  { around, withValue, ...records }: PreservedRecords,
): Query<z.infer<typeof preservedColumnRow>> {
  const value = withValue ? name(column) : sql`''`
  return {
    name: 'listPreservedColumn',
    statement: sql`
      SELECT toString(id) AS id, ${value} AS value
      FROM ${name(table)} FINAL
      WHERE ${around} AND ${withIds(table, records)} AND ${name(table)}.${name(column)} != ''`,
    row: preservedColumnRow,
    pool: 'maintenance',
  }
}

/** A quarter of the longest request line that ClickHouse accepts. */
export const maxIdsPerQuery = 1_000

export interface RecordIds {
  /** Undefined for records of every tenant. */
  readonly tenantId: string | undefined
  readonly ids: readonly string[]
}

function withIds(table: string, { tenantId, ids }: RecordIds): Sql {
  const ofTenant = tenantId === undefined ? empty : sql`tenant_id = ${uuid(tenantId)} AND `
  return sql`${ofTenant}toString(${name(table)}.id) IN (${texts(ids)})`
}
