import type { Database } from '../../../queries/clickhouse/client.ts'
import { listPreservedColumn } from '../../../queries/records/list-preserved-column.ts'
import { maxIdsPerQuery } from '../../../queries/records/with-ids.ts'
import { chunksOf } from '../../../queries/sql/chunks.ts'
import type { RecordRow, RecordType } from './record-type.ts'

/** Of kept values, which can be long. */
const valuesAtOnce = 50

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
  const ask = (some: readonly RecordRow[], withValue: boolean) => {
    const ids = some.map(({ id }) => id)
    return read(listPreservedColumn(table, kept.column, kept.around(some), tenantId, ids, withValue))
  }
  const holding = new Set<string>()
  for (const some of chunksOf(lacking, maxIdsPerQuery)) for (const { id } of await ask(some, false)) holding.add(id)
  const others = rows.filter((one) => one[column] !== undefined || !holding.has(one.id))
  if (others.length > 0) yield others
  const keeping = lacking.filter(({ id }) => holding.has(id))
  for (const some of chunksOf(keeping, valuesAtOnce)) {
    const values = new Map((await ask(some, true)).map(({ id, value }) => [id, value]))
    yield some.map((one) => ({ ...one, [column]: values.get(one.id) }))
  }
}
