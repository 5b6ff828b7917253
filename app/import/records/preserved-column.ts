import type { Database } from '../../../queries/clickhouse/database.ts'
import { listPreservedColumn, maxIdsPerQuery } from '../../../queries/records/immutable-fields.ts'
import { chunksOf } from '../../../queries/sql/rows.ts'
import type { RecordRow, RecordType } from './record-type.ts'

/** Bound of memory: a value can be almost as long as the longest line, 3 MB. */
const maxValuesPerInsert = 50

/** Splits the rows of an insert; a row that lacks the type's preserved column gets its stored value. */
export async function* withPreserved(
  { table, preserved }: RecordType,
  read: Database['read'],
  tenantId: string | undefined,
  rows: readonly RecordRow[],
): AsyncGenerator<readonly RecordRow[]> {
  const column = preserved?.column ?? ''
  const lacking = preserved ? rows.filter((row) => row[column] === undefined) : []
  if (preserved === undefined || lacking.length === 0) return yield rows
  const readStored = (some: readonly RecordRow[], withValue: boolean) => {
    const ids = some.map(({ id }) => id)
    return read(listPreservedColumn(table, column, { around: preserved.around(some), tenantId, ids, withValue }))
  }
  const stored = new Set<string>()
  for (const some of chunksOf(lacking, maxIdsPerQuery))
    for (const { id } of await readStored(some, false)) stored.add(id)
  const complete = rows.filter((row) => row[column] !== undefined || !stored.has(row.id))
  if (complete.length > 0) yield complete
  const incomplete = lacking.filter(({ id }) => stored.has(id))
  for (const some of chunksOf(incomplete, maxValuesPerInsert)) {
    const values = new Map((await readStored(some, true)).map(({ id, value }) => [id, value]))
    yield some.map((row) => ({ ...row, [column]: values.get(row.id) }))
  }
}
