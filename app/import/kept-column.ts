import { z } from 'zod'
import { chunksOf } from '../../queries/chunks.ts'
import type { Database } from '../../queries/clickhouse.ts'
import type { Query } from '../../queries/query.ts'
import { empty, name, sql, texts, uuid } from '../../queries/sql.ts'
import type { KeptColumn, RecordRow, RecordType } from './record-type.ts'

/** Of rows, as their ids fill a quarter of what a server takes as one request's line; of kept values, which can be long. */
const rowsAtOnce = 1_000
const valuesAtOnce = 50

const row = z.object({ id: z.string(), value: z.string() })

/**
 * The rows of one insert as several, each with what is stored in the column that their type keeps where it leaves that
 * undefined. Those that keep something are few at once.
 */
export async function* withKept(
  { table, kept }: RecordType,
  read: Database['read'],
  tenantId: string | undefined,
  rows: readonly RecordRow[],
): AsyncGenerator<readonly RecordRow[]> {
  const column = kept?.column ?? ''
  const lacking = kept ? rows.filter((one) => one[column] === undefined) : []
  if (kept === undefined || lacking.length === 0) return yield rows
  const ask = (some: readonly RecordRow[], withValue: boolean) => read(listKept(table, kept, tenantId, some, withValue))
  const holding = new Set<string>()
  for (const some of chunksOf(lacking, rowsAtOnce)) for (const { id } of await ask(some, false)) holding.add(id)
  const others = rows.filter((one) => one[column] !== undefined || !holding.has(one.id))
  if (others.length > 0) yield others
  const keeping = lacking.filter(({ id }) => holding.has(id))
  for (const some of chunksOf(keeping, valuesAtOnce)) {
    const values = new Map((await ask(some, true)).map(({ id, value }) => [id, value]))
    yield some.map((one) => ({ ...one, [column]: values.get(one.id) }))
  }
}

/** The rows that have something in the column. */
function listKept(
  table: string,
  { column, around }: KeptColumn,
  tenantId: string | undefined,
  rows: readonly RecordRow[],
  withValue: boolean,
): Query<z.infer<typeof row>> {
  const ofTenant = tenantId === undefined ? empty : sql`tenant_id = ${uuid(tenantId)} AND `
  const value = withValue ? name(column) : sql`''`
  return {
    name: 'listKeptColumn',
    statement: sql`SELECT toString(id) AS id, ${value} AS value FROM ${name(table)} FINAL
      WHERE ${ofTenant}${around(rows)} AND toString(${name(table)}.id) IN (${texts(rows.map(({ id }) => id))}) AND ${name(table)}.${name(column)} != ''`,
    row,
    lane: 'maintenance',
  }
}
