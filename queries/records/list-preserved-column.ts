import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { name, type Sql, sql } from '../sql/sql.ts'
import { type RecordIds, withIds } from './with-ids.ts'

const row = z.object({ id: z.string(), value: z.string() })

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
): Query<z.infer<typeof row>> {
  const value = withValue ? name(column) : sql`''`
  return {
    name: 'listPreservedColumn',
    statement: sql`
      SELECT toString(id) AS id, ${value} AS value
      FROM ${name(table)} FINAL
      WHERE ${around} AND ${withIds(table, records)} AND ${name(table)}.${name(column)} != ''`,
    row,
    pool: 'maintenance',
  }
}
