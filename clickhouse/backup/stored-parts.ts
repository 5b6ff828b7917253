/** @module Parts of a database's tables: a restored database is compared by them with its original. */

import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { sql } from '../../queries/sql/sql.ts'

const partRow = z.object({
  table: z.string(),
  /** Checksum of its files, which a backup copies unchanged. */
  checksum: z.string(),
  rows: rowCount,
})

export type StoredPart = z.infer<typeof partRow>

const listParts: Query<StoredPart> = {
  name: 'listParts',
  statement: sql`
    SELECT table, hash_of_all_files AS checksum, rows
    FROM system.parts
    WHERE database = currentDatabase() AND active
    ORDER BY table, checksum`,
  row: partRow,
  pool: 'maintenance',
}

export const readParts = (database: Database): Promise<StoredPart[]> => database.read(listParts)

const keyOf = ({ table, checksum, rows }: StoredPart) => `${table}\n${checksum}\n${rows}`

/** Parts of `some` that `others` lacks; parts of equal contents count one by one. */
export function partsWithout(some: readonly StoredPart[], others: readonly StoredPart[]): StoredPart[] {
  const left = new Map<string, number>()
  for (const part of others) left.set(keyOf(part), (left.get(keyOf(part)) ?? 0) + 1)
  return some.filter((part) => {
    const count = left.get(keyOf(part)) ?? 0
    left.set(keyOf(part), count - 1)
    return count <= 0
  })
}
