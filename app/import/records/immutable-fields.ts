import type { Database } from '../../../queries/clickhouse/database.ts'
import { listImmutableFields, maxIdsPerQuery } from '../../../queries/records/immutable-fields.ts'
import { chunksOf } from '../../../queries/sql/rows.ts'
import { type LineError, reject } from '../ndjson/line-error.ts'
import type { RecordRow, RecordType } from './record-type.ts'

/** true: store. false: skip, the stored row is newer. Line error: it changes an immutable field. */
export type ImmutableCheck = (row: RecordRow) => boolean | LineError

/** Check for the rows of one insert, in their order, against the stored rows and each other. */
export async function checkImmutableFields(
  { table, immutable = {} }: RecordType,
  database: Pick<Database, 'read'>,
  tenantId: string | undefined,
  ids: readonly string[],
): Promise<ImmutableCheck> {
  const fields = Object.entries(immutable).map(([field, column]) =>
    typeof column === 'string' ? { field, column, mutableWhile: undefined } : { field, ...column },
  )
  const valuesById = new Map<string, readonly string[]>()
  if (fields.length === 0) return () => true
  const columns = fields.map(({ column }) => column)
  for (const some of chunksOf(ids, maxIdsPerQuery)) {
    const stored = await database.read(listImmutableFields(table, fields, { tenantId, ids: some }))
    for (const { id, fixed: values } of stored) valuesById.set(id, values)
  }
  return (row) => {
    const values = columns.map((column) => String(row[column]))
    const before = valuesById.get(row.id) ?? values
    const changed = fields.findIndex(
      ({ mutableWhile }, index) => values[index] !== before[index] && before[index] !== mutableWhile,
    )
    valuesById.set(row.id, changed < 0 ? values : before)
    if (changed < 0) return true
    const { field, mutableWhile } = fields[changed] ?? {}
    if (values[changed] === mutableWhile) return false
    return reject(`${field} of the id ${row.id} is ${before[changed]} and cannot be changed to ${values[changed]}`)
  }
}
