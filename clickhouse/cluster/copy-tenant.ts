import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { name, render, type Sql, sql, text } from '../../queries/sql/sql.ts'
import { ofTenant } from '../../queries/tenants/owned-tables.ts'
import { rawTable } from '../rollups/list-rollups.ts'
import { type CopiedTable, listCopiedTables } from './copied-tables.ts'
import { listMissingReports } from './missing-reports.ts'

/** Rows of one tenant in two databases; the second may not have any. */
export interface Copy {
  readonly tenantId: string
  readonly from: Database
  /** The database that a table's rows are copied to. */
  to(table: string): Database
  readonly onStep: (step: string) => void
}

/** Copies every row, month by month, to tables without rows of the tenant. */
export async function copyTenant(copy: Copy): Promise<void> {
  for (const { table } of await listCopiedTables(copy.from)) {
    const where = ofTenant(table, copy.tenantId)
    for (const { partition } of await copy.from.read(listPartitions(table, where))) {
      copy.onStep(`Copying ${table}${partition === 'all' ? '' : ` ${partition}`}`)
      await copyRows(copy, table, sql`${where} AND _partition_id = ${text(partition)}`)
    }
  }
}

/**
 * Copies what was stored since a copy: versioned rows again, and missing reports. Returns the number of these reports.
 */
export async function copyAgain(copy: Copy): Promise<number> {
  for (const { table, isVersioned } of await listCopiedTables(copy.from)) {
    if (isVersioned) await copyRows(copy, table, ofTenant(table, copy.tenantId))
  }
  let missing = 0
  for await (const ids of listMissingReports(copy.from, copy.to(rawTable), copy.tenantId)) {
    missing += ids.length
    copy.onStep(`Copying ${ids.length} reports that were stored during the copy`)
    await copyRows(copy, rawTable, sql`${ofTenant(rawTable, copy.tenantId)} AND id IN ${idsOf(ids)}`)
  }
  return missing
}

/** The first table whose rows differ in the copy, ignoring order and versions. @param isCompared all by default. */
export async function findDifference(
  copy: Copy,
  isCompared: (copied: CopiedTable) => boolean = () => true,
): Promise<string | undefined> {
  for (const copied of (await listCopiedTables(copy.from)).filter(isCompared)) {
    const summary = summarise(copied, copy.tenantId)
    const [from, to] = [await copy.from.read(summary), await copy.to(copied.table).read(summary)]
    if (JSON.stringify(from) !== JSON.stringify(to)) return copied.table
  }
  return undefined
}

/** Tables of public libraries, which all tenants share; existing rows remain. */
export async function copyLibraries(from: Database, to: Database, onStep: Copy['onStep']): Promise<void> {
  for (const table of ['library_files', 'library_advisories']) {
    onStep(`Copying ${table}`)
    await copyRows({ from, to: () => to }, table, sql`true`)
  }
}

/** Parts of a copy are larger than parts of a block, so other replicas take longer to fetch them. */
const insertSettings = {
  max_partitions_per_insert_block: '0',
  wait_end_of_query: 1,
  insert_quorum_timeout: 600_000,
} as const

async function copyRows({ from, to }: Pick<Copy, 'from' | 'to'>, table: string, where: Sql): Promise<void> {
  const { text: statement, params } = render(sql`SELECT * FROM ${name(table)} WHERE ${where}`)
  const rows = Readable.from(await from.stream(statement, 'Native', { params }), { objectMode: false })
  // Resolves at the first bytes, or at the end.
  await once(rows, 'readable')
  if (rows.readableLength === 0) return
  const insert = render(sql`INSERT INTO ${name(table)} FORMAT Native`).text
  // Blocks that an earlier copy stored, and whose rows were removed, are stored again.
  const settings = { ...insertSettings, insert_deduplication_token: randomUUID() }
  await to(table).insert(insert, rows, { settings })
}

const idsOf = (ids: readonly string[]) => ({ type: 'Array(UUID)', value: ids })

const listPartitions = (table: string, where: Sql): Query<{ partition: string }> => ({
  name: 'listPartitions',
  statement: sql`SELECT DISTINCT _partition_id AS partition FROM ${name(table)} WHERE ${where} ORDER BY partition`,
  row: z.object({ partition: z.string() }),
  pool: 'maintenance',
})

const summaryRow = z.object({ rows: rowCount, content: z.string() })

const summarise = ({ table, isVersioned }: CopiedTable, tenantId: string): Query<z.infer<typeof summaryRow>> => ({
  name: 'summariseTable',
  statement: sql`
    SELECT count() AS rows, toString(groupBitXor(sipHash64(tuple(*)))) AS content
    FROM ${name(table)}${isVersioned ? sql` FINAL` : sql``}
    WHERE ${ofTenant(table, tenantId)}`,
  row: summaryRow,
  pool: 'maintenance',
})
