/**
 * @module Rows of a tenant or a site in every table that has such rows, and their deletion. ALTER TABLE DELETE removes
 * rows from the disk before it returns; a lightweight DELETE would hide them until a merge. It rewrites the parts with
 * these rows.
 */

import { mutationSettings } from '../../clickhouse/cluster/shared-ddl.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { isNamed } from '../../queries/clickhouse/error-codes.ts'
import { name, render, type Sql, sql } from '../../queries/sql/sql.ts'
import { countOwnedRows, listOwnedTables, type OwnedRows, type OwnedTable } from '../../queries/tenants/owned-tables.ts'
import type { DatabaseAccess } from '../program/open-database.ts'

/** The writer, and the databases with its rows. */
export type Databases = Pick<DatabaseAccess, 'writer' | 'shards'>

/** True of a table's rows; undefined for a table without such rows. */
export type RowCondition = (table: OwnedTable) => Sql | undefined

/** Rows by table. */
export type RowCounts = Readonly<Record<string, number>>

/** Tables without such rows are omitted. */
export async function countRows(databases: readonly Database[], condition: RowCondition): Promise<RowCounts> {
  const counts: Record<string, number> = {}
  for (const database of databases) {
    for (const { table, rows } of await findRows(database, condition)) counts[table] = (counts[table] ?? 0) + rows
  }
  return counts
}

/**
 * Returns when the rows are off the disk. A table without such rows is skipped: one shard's statement runs on every
 * other (`shared-ddl.ts`).
 */
export async function deleteRows(
  databases: readonly Database[],
  condition: RowCondition,
  tables: readonly string[],
): Promise<void> {
  for (const database of databases) {
    const found = await findRows(database, (owned) => (tables.includes(owned.table) ? condition(owned) : undefined))
    // ClickHouse bounds how many run.
    await Promise.all(
      found.map(async ({ table, where }) => {
        const { text, params } = render(sql`ALTER TABLE ${name(table)} DELETE WHERE ${where}`)
        await database.command(text, { params, settings: mutationSettings })
      }),
    )
  }
}

interface FoundRows extends OwnedRows {
  readonly rows: number
}

/**
 * Counts rows in tables with such rows. Other deletions and rebuilds can drop their tables at any time: the tables are
 * then listed again.
 */
async function findRows(database: Database, condition: RowCondition): Promise<FoundRows[]> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await findListedRows(database, condition)
    } catch (error) {
      if (attempts === maxListings || !isNamed(error, 'UNKNOWN_TABLE')) throw error
    }
  }
}

/** More retries than tables that could be dropped between two statements. */
const maxListings = 20

async function findListedRows(database: Database, condition: RowCondition): Promise<FoundRows[]> {
  const owned = (await database.read(listOwnedTables)).flatMap((one) => {
    const where = condition(one)
    return where ? [{ table: one.table, where }] : []
  })
  if (owned.length === 0) return []
  const counts = new Map((await database.read(countOwnedRows(owned))).map(({ table, rows }) => [table, rows]))
  return owned.map((one) => ({ ...one, rows: counts.get(one.table) ?? 0 })).filter(({ rows }) => rows > 0)
}
