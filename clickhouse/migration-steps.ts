/** @module Completed steps of migrations, so that an interrupted run continues: statements, then each filled month. */

import { z } from 'zod'
import type { Database } from '../queries/clickhouse/database.ts'
import { insertRows } from '../queries/clickhouse/insert-rows.ts'
import type { Query } from '../queries/sql/query.ts'
import { sql } from '../queries/sql/sql.ts'
import type { Migration } from './migration-files.ts'

export const createMigrationSteps = `CREATE TABLE IF NOT EXISTS migration_steps
(
    version     UInt32 COMMENT 'Number of the migration',
    checksum    FixedString(64) COMMENT 'Lower-case hexadecimal SHA-256 of its file',
    rollup      String COMMENT 'Table that was filled; empty for the statements of the file',
    month       String COMMENT 'Partition that was filled, such as 202611; empty for the statements of the file',
    done_at     DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the step was done'
)
ENGINE = ReplacingMergeTree
ORDER BY (version, checksum, rollup, month)
COMMENT 'Steps of migrations that fill rollups, from which an interrupted run continues'`

const stepRow = z.object({ version: z.int(), checksum: z.string(), rollup: z.string(), month: z.string() })

const listSteps: Query<z.infer<typeof stepRow>> = {
  name: 'listMigrationSteps',
  statement: sql`SELECT version, checksum, rollup, month FROM migration_steps FINAL`,
  row: stepRow,
  pool: 'lookup',
}

export interface MigrationSteps {
  hasRun(migration: Migration): boolean
  /** Whether a month of a rollup was filled since this migration or a later one ran. */
  isFilled(rollup: string, month: string, version: number): boolean
  recordRun(migrations: readonly Migration[]): Promise<void>
  recordFill(rollup: string, month: string, version: number): Promise<void>
}

/** Steps of a migration whose file has changed since do not count. */
export async function readMigrationSteps(
  database: Pick<Database, 'read' | 'insert'>,
  migrations: readonly Migration[],
): Promise<MigrationSteps> {
  const checksums = new Map(migrations.map(({ version, checksum }) => [version, checksum]))
  const done = (await database.read(listSteps)).filter(({ version, checksum }) => checksums.get(version) === checksum)
  const insert = (rows: readonly object[]) => insertRows(database, 'migration_steps', rows)
  return {
    hasRun: ({ version }) => done.some((step) => step.version === version && step.rollup === ''),
    isFilled: (rollup, month, version) =>
      done.some((step) => step.rollup === rollup && step.month === month && step.version >= version),
    recordRun: (ran) => insert(ran.map(({ version, checksum }) => ({ version, checksum }))),
    recordFill: (rollup, month, version) => insert([{ version, checksum: checksums.get(version), rollup, month }]),
  }
}
