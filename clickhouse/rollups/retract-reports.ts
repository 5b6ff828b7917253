import { z } from 'zod'
import type { Database, StatementOptions } from '../../queries/clickhouse/database.ts'
import { poolSettings, queryPools } from '../../queries/clickhouse/query-pools.ts'
import { join, name, render, type Sql, sql, text, uuid } from '../../queries/sql/sql.ts'
import { ddlSettings, ddlTargets } from '../cluster/shared-ddl.ts'
import { fromRaw, listRollups, type Rollup, type RollupMeasure, rawTable } from './list-rollups.ts'
import { partitionId } from './rebuild-rollups.ts'
import { refreshExtremes } from './refresh-extremes.ts'
import { listRollupMonths } from './rollup-months.ts'

/**
 * @module Takes a site's reports out of the rollups without a site while the collector stores others. A rebuild would
 * count a report twice whose insert is between the reports and a rollup. Negated counts add up in any order, and first and
 * last times can be stored twice.
 */

export interface SiteReports {
  readonly tenantId: string
  readonly siteId: string
}

export interface Retraction {
  /** Reports whose counts are retracted: delete exactly these. */
  readonly copy: string
  /** Call it after they are deleted. */
  finish(): Promise<void>
}

/** True for a copy of a site's reports. */
export const isCopy = (table: string) => /^reports_retracted_[0-9a-f]{32}$/.test(table)

/**
 * True for a table of a running or interrupted retraction or rebuild (`rebuild-rollups.ts`), which drops it at its end.
 */
export const isWorkTable = (table: string) => /_(retracted|retract|rebuild)_[0-9a-f]{8,32}(_\w+)?$/.test(table)

/** Databases that a DDL statement reaches at once. */
interface Group {
  readonly ddl: Database
  readonly databases: readonly Database[]
}

const settings = { ...poolSettings(queryPools.maintenance), ...ddlSettings, insert_deduplicate: 0 } as NonNullable<
  StatementOptions['settings']
>

/**
 * Retracts the counts. An interrupted retraction continues: the copy identifies its reports, and a moved partition is
 * gone from its table.
 * @param onStep called before each table.
 */
export async function retractReports(
  shards: readonly Database[],
  site: SiteReports,
  onStep: () => Promise<void>,
): Promise<Retraction> {
  const copy = `reports_retracted_${site.siteId.replaceAll('-', '')}`
  const targets = await ddlTargets(shards)
  const groups: Group[] =
    targets.length === shards.length
      ? shards.map((ddl) => ({ ddl, databases: [ddl] }))
      : targets.map((ddl) => ({ ddl, databases: shards }))
  const finishing = await Promise.all(groups.map((group) => retractInGroup(group, site, copy, onStep)))
  return {
    copy,
    async finish() {
      for (const finish of finishing) await finish()
    },
  }
}

async function retractInGroup(
  group: Group,
  { tenantId, siteId }: SiteReports,
  copy: string,
  onStep: () => Promise<void>,
): Promise<() => Promise<void>> {
  const { ddl, databases } = group
  const run = (database: Database, statement: Sql) => execute(database, statement)
  const drop = (table: string) => run(ddl, sql`DROP TABLE IF EXISTS ${name(table)} SYNC`)
  const all = await listRollups(ddl)
  const rollups = all.filter(({ keys }) => !keys.includes('site_id'))
  const tableOf = ({ table }: Rollup) => `${table}_retract_${siteId.replaceAll('-', '')}`

  /** It appears with all its rows. */
  async function create(table: string, like: string, columns: Sql, rows: Sql): Promise<void> {
    const unfinished = `${table}_unfinished`
    await drop(unfinished)
    await run(ddl, sql`CREATE TABLE ${name(unfinished)} AS ${name(like)}`)
    for (const database of databases) {
      await run(database, sql`INSERT INTO ${name(unfinished)} (${columns}) SELECT ${columns} FROM (${rows})`)
    }
    await run(ddl, sql`RENAME TABLE ${name(unfinished)} TO ${name(table)}`)
  }

  if (!(await exists(ddl, copy))) {
    // Negated counts of a finished retraction.
    for (const rollup of rollups) await drop(tableOf(rollup))
    const isOfSite = sql`tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)}`
    const columns = join((await columnsOf(ddl, rawTable)).map(name), ', ')
    await create(copy, rawTable, columns, sql`SELECT * FROM ${name(rawTable)} WHERE ${isOfSite}`)
  }
  for (const rollup of rollups) {
    await onStep()
    const table = tableOf(rollup)
    const columns = join([...rollup.keys, ...rollup.measures.map(({ column }) => column)].map(name), ', ')
    if (!(await exists(ddl, table))) {
      const counts = fromRaw(rollup, all, sql`SELECT * FROM ${name(copy)}`)
      await create(table, rollup.table, columns, sql`SELECT ${negated(rollup)} FROM (${counts}) AS counts`)
    }
    for (const partition of await partitionsOf(databases, table)) {
      const id = partitionId(partition)
      await run(ddl, sql`ALTER TABLE ${name(table)} MOVE PARTITION ID ${id} TO TABLE ${name(rollup.table)}`)
    }
  }

  async function refresh(rollup: Rollup): Promise<void> {
    const touched = `${tableOf(rollup)}_keys`
    await drop(touched)
    await run(ddl, sql`CREATE TABLE ${name(touched)} AS ${name(rollup.table)}`)
    for (const database of databases) {
      const staying = await listRollupMonths(database, [rawTable], tenantId)
      for (const month of await listRollupMonths(database, [copy], tenantId)) {
        const retentionDays = staying.find(({ partition }) => partition === month.partition)?.retentionDays
        await refreshExtremes(database, { rollup, rollups: all, copy, touched, month, retentionDays })
      }
    }
    await drop(touched)
  }

  return async () => {
    await onStep()
    // ClickHouse bounds how many mutations run.
    await Promise.all(rollups.map(refresh))
    // Dropped first, because the other tables record which of its rows were moved.
    await drop(copy)
    for (const rollup of rollups) await drop(tableOf(rollup))
  }
}

/**
 * Sums modulo 2^64, like ClickHouse's sums; a first, last or longest value is stored once more, which does not change
 * it.
 */
function negated({ table, keys, measures }: Rollup): Sql {
  const value = ({ column, combine, type }: RollupMeasure) => {
    if (combine === 'min' || combine === 'max') return name(column)
    if (combine === 'sum' && type === 'UInt64') return sql`toUInt64(negate(counts.${name(column)})) AS ${name(column)}`
    throw new Error(`Unsupported measure for retraction: ${table}.${column}, ${combine} of ${type}`)
  }
  return join([...keys.map(name), ...measures.map(value)], ', ')
}

async function execute(database: Database, statement: Sql): Promise<void> {
  const { text, params } = render(statement)
  await database.command(text, { params, settings })
}

const nameRow = z.object({ name: z.string() })

async function namesOf(database: Database, queryName: string, statement: Sql): Promise<string[]> {
  return (await database.read({ name: queryName, statement, row: nameRow, pool: 'maintenance' })).map(
    ({ name }) => name,
  )
}

async function exists(database: Database, table: string): Promise<boolean> {
  const ofName = sql`SELECT name FROM system.tables WHERE database = currentDatabase() AND name = ${text(table)}`
  return (await namesOf(database, 'findTable', ofName)).length > 0
}

const columnsOf = (database: Database, table: string) =>
  namesOf(
    database,
    'listStoredColumns',
    sql`
      SELECT name FROM system.columns
      WHERE database = currentDatabase() AND table = ${text(table)} AND default_kind != 'ALIAS'
      ORDER BY position`,
  )

async function partitionsOf(databases: readonly Database[], table: string): Promise<string[]> {
  const statement = sql`SELECT DISTINCT _partition_id AS name FROM ${name(table)}`
  const found = await Promise.all(databases.map((database) => namesOf(database, 'listPartitions', statement)))
  return [...new Set(found.flat())].sort()
}
