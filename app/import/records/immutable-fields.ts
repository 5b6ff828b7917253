import type { Database } from '../../../queries/clickhouse/client.ts'
import { listImmutableFields } from '../../../queries/records/list-immutable-fields.ts'
import { maxIdsPerQuery } from '../../../queries/records/with-ids.ts'
import { chunksOf } from '../../../queries/sql/chunks.ts'
import { type Refusal, refuse } from '../ndjson/line-error.ts'
import type { RecordRow, RecordType } from './record-type.ts'

/**
 * Whether a row is to be stored: not one from before what is stored already, and a refusal is for one that changes a member
 * that its id has for good.
 */
export type FixedCheck = (row: RecordRow) => boolean | Refusal

/**
 * Makes a check for the rows of one insert, in their order: it knows what is stored under their ids, and remembers the
 * ids it is asked about.
 */
export async function checkFixed(
  { table, fixed = {} }: RecordType,
  database: Pick<Database, 'read'>,
  tenantId: string | undefined,
  ids: readonly string[],
): Promise<FixedCheck> {
  const members = Object.entries(fixed).map(([member, column]) =>
    typeof column === 'string' ? { member, column, until: undefined } : { member, ...column },
  )
  const known = new Map<string, readonly string[]>()
  if (members.length === 0) return () => true
  const columns = members.map(({ column }) => column)
  for (const some of chunksOf(ids, maxIdsPerQuery)) {
    const stored = await database.read(listImmutableFields(table, columns, tenantId, some))
    for (const { id, fixed: values } of stored) known.set(id, values)
  }
  return (row) => {
    const values = columns.map((column) => String(row[column]))
    const before = known.get(row.id) ?? values
    const changed = members.findIndex(({ until }, index) => values[index] !== before[index] && before[index] !== until)
    known.set(row.id, changed < 0 ? values : before)
    if (changed < 0) return true
    const { member, until } = members[changed] ?? {}
    if (values[changed] === until) return false
    return refuse(`${member} of the id ${row.id} is ${before[changed]} for good, and cannot become ${values[changed]}`)
  }
}
