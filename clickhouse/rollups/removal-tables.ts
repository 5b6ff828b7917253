/** @module Statements of a removal of reports. */

import { z } from 'zod'
import type { Database, StatementOptions } from '../../queries/clickhouse/database.ts'
import { poolSettings, queryPools } from '../../queries/clickhouse/query-pools.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { name, render, type Sql, sql, text, texts, uuid } from '../../queries/sql/sql.ts'
import { ddlSettings, mutationSettings } from '../cluster/shared-ddl.ts'
import { listAggregates, rawTable } from './list-rollups.ts'

/** A month of the removed reports, from the start of its first day to the end of its last. */
export interface Span {
  readonly partition: string
  readonly from: number
  readonly to: number
  readonly types: readonly string[]
  /** Whether all reports of the tenant's month have the same retention, the removed ones too. */
  readonly hasOneRetention: boolean
}

/** A statement that changes tables; no insert is taken for an earlier one. */
export async function run(
  database: Pick<Database, 'command'>,
  statement: Sql,
  { settings: further = {}, signal }: Pick<StatementOptions, 'settings' | 'signal'> = {},
): Promise<void> {
  const { text, params } = render(statement)
  const settings = { ...poolSettings(queryPools.maintenance), ...ddlSettings, insert_deduplicate: 0, ...further }
  await database.command(text, { params, settings: settings as NonNullable<StatementOptions['settings']>, signal })
}

/** No query sees the rows afterwards. They leave the disk with the next merge of their parts, or by `purgeHiddenRows`. */
export const hideRows = (database: Database, table: string, where: Sql): Promise<void> =>
  run(database, sql`DELETE FROM ${name(table)} WHERE ${where}`, {
    settings: { ...mutationSettings, lightweight_deletes_sync: '2' },
  })

/** Rewrites the parts of reports and rollups that have hidden rows, of earlier deletions too. */
export async function purgeHiddenRows(database: Database): Promise<void> {
  const tables = [rawTable, ...(await listAggregates(database)).map(({ table }) => table)]
  const parts = sql`
    SELECT DISTINCT table AS name FROM system.parts
    WHERE database = currentDatabase() AND active AND has_lightweight_delete AND table IN ${texts(tables)}`
  for (const table of await namesOf(database, 'listTablesWithHiddenRows', parts)) {
    await run(database, sql`ALTER TABLE ${name(table)} APPLY DELETED MASK`, { settings: mutationSettings })
  }
}

const nameRow = z.object({ name: z.string() })

async function namesOf(database: Database, queryName: string, statement: Sql): Promise<string[]> {
  return (await database.read({ name: queryName, statement, row: nameRow, pool: 'maintenance' })).map(
    ({ name }) => name,
  )
}

export async function exists(database: Database, table: string): Promise<boolean> {
  const ofName = sql`SELECT name FROM system.tables WHERE database = currentDatabase() AND name = ${text(table)}`
  return (await namesOf(database, 'findTable', ofName)).length > 0
}

export const columnsOfReports = (database: Database) =>
  namesOf(
    database,
    'listStoredColumns',
    sql`
      SELECT name FROM system.columns
      WHERE database = currentDatabase() AND table = ${text(rawTable)} AND default_kind != 'ALIAS'
      ORDER BY position`,
  )

const time = z.string().transform((text) => Date.parse(text))

export async function listSpans(database: Database, tenantId: string, copy: string): Promise<Span[]> {
  const spans = await database.read({
    name: 'listSpans',
    statement: sql`
      SELECT partition, types, startsAt, endsAt, length(arrayDistinct(arrayConcat(days, otherDays))) AS retentions
      FROM (
        SELECT _partition_id AS partition, groupUniqArray(toString(report_type)) AS types,
          toDateTime64(toStartOfDay(min(received_at)), 3, 'UTC') AS startsAt,
          toDateTime64(toStartOfDay(max(received_at)) + INTERVAL 1 DAY, 3, 'UTC') AS endsAt,
          groupUniqArray(retention_days) AS days
        FROM ${name(copy)}
        GROUP BY partition
      ) AS removed
      LEFT JOIN (
        SELECT _partition_id AS partition, groupUniqArray(retention_days) AS otherDays
        FROM ${name(rawTable)}
        WHERE tenant_id = ${uuid(tenantId)}
        GROUP BY partition
      ) AS others USING (partition)
      ORDER BY partition`,
    row: spanRow,
    pool: 'maintenance',
  })
  return spans.map(({ startsAt, endsAt, retentions, ...span }) => {
    return { ...span, from: startsAt, to: endsAt, hasOneRetention: retentions === 1 }
  })
}

const spanRow = z.object({
  partition: z.string(),
  types: z.array(z.string()),
  startsAt: time,
  endsAt: time,
  retentions: rowCount,
})
