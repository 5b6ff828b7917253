/**
 * @module Rows of a tenant or a site in every table that has such rows, and their deletion. ALTER TABLE DELETE takes
 * rows off the disk before it returns, where a lightweight DELETE hides them until a merge; it rewrites the parts that
 * hold them.
 */

import { mutationSettings } from '../../clickhouse/cluster/shared-ddl.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { name, render, type Sql, sql } from '../../queries/sql/sql.ts'
import { countOwnedRows, listOwnedTables, type OwnedTable } from '../../queries/tenants/list-owned-tables.ts'
import type { DatabaseAccess } from '../program/open-database.ts'

/** The writer, and the databases that hold its rows. */
export type Databases = Pick<DatabaseAccess, 'writer' | 'shards'>

/** True of a table's rows; undefined for a table without such rows. */
export type RowCondition = (table: OwnedTable) => Sql | undefined

/** Rows by table. */
export type RowCounts = Readonly<Record<string, number>>

/** Tables without such rows are left out. */
export async function countRows(databases: readonly Database[], condition: RowCondition): Promise<RowCounts> {
  const counts: Record<string, number> = {}
  for (const database of databases) {
    for (const owned of await database.read(listOwnedTables)) {
      const where = condition(owned)
      const [counted] = where ? await database.read(countOwnedRows(owned.table, where)) : []
      if (counted && counted.rows > 0) counts[owned.table] = (counts[owned.table] ?? 0) + counted.rows
    }
  }
  return counts
}

/**
 * Returns when the rows are off the disk. A table without such rows is passed over: one shard's statement runs on every
 * other (`shared-ddl.ts`).
 */
export async function deleteRows(
  databases: readonly Database[],
  condition: RowCondition,
  tables: readonly string[],
): Promise<void> {
  for (const database of databases) {
    const owned = (await database.read(listOwnedTables)).filter(({ table }) => tables.includes(table))
    // ClickHouse bounds how many run.
    await Promise.all(
      owned.map(async (one) => {
        const where = condition(one)
        if (!where) return
        const [counted] = await database.read(countOwnedRows(one.table, where))
        if (counted?.rows === 0) return
        const { text, params } = render(sql`ALTER TABLE ${name(one.table)} DELETE WHERE ${where}`)
        await database.command(text, { params, settings: mutationSettings })
      }),
    )
  }
}
