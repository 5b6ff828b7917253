import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { name, type Sql, sql } from '../sql/sql.ts'
import { withIds } from './with-ids.ts'

const row = z.object({ id: z.string(), value: z.string() })

/** Records with a text. @param around narrows by primary key. @param withValue false: '', as texts are long. */
export function listPreservedColumn(
  table: string,
  column: string,
  around: Sql,
  tenantId: string | undefined,
  ids: readonly string[],
  withValue: boolean,
): Query<z.infer<typeof row>> {
  const value = withValue ? name(column) : sql`''`
  return {
    name: 'listPreservedColumn',
    statement: sql`
      SELECT toString(id) AS id, ${value} AS value
      FROM ${name(table)} FINAL
      WHERE ${around} AND ${withIds(table, tenantId, ids)} AND ${name(table)}.${name(column)} != ''`,
    row,
    pool: 'maintenance',
  }
}
