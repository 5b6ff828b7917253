import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { join, name, sql } from '../sql/sql.ts'
import { type RecordIds, withIds } from './with-ids.ts'

const row = z.object({ id: z.string(), fixed: z.array(z.string()) })

export function listImmutableFields(
  table: string,
  columns: readonly string[],
  records: RecordIds,
): Query<z.infer<typeof row>> {
  const values = join(
    columns.map((column) => sql`toString(${name(column)})`),
    ', ',
  )
  return {
    name: 'listImmutableFields',
    statement: sql`
      SELECT toString(id) AS id, [${values}] AS fixed
      FROM ${name(table)} FINAL
      WHERE ${withIds(table, records)}`,
    row,
  }
}
