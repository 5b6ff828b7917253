import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../queries/clickhouse/client.ts'
import { name, render, type Sql, sql, uuid } from '../../queries/sql/sql.ts'
import { findSite } from '../../queries/tenants/find-site.ts'
import { findTenant } from '../../queries/tenants/find-tenant.ts'
import { countOwnedRows, listOwnedTables, type OwnedTable } from '../../queries/tenants/list-owned-tables.ts'
import { withImportLease } from '../import/reports/import-lease.ts'
import type { DatabaseAccess } from '../server/open-database.ts'

// Deletes by ALTER TABLE DELETE: rows are off the disk when it returns, where a lightweight DELETE hides them until a merge.
// It rewrites the parts that hold such rows, each a month of all tenants.

interface DeleteOptions {
  /** Name of the tenant or site; its id where its row is gone. */
  readonly confirm: string
  log(line: string): void
}

/** Rows by table. */
type Deleted = Readonly<Record<string, number>>

interface Target {
  readonly kind: 'tenant' | 'site'
  readonly id: string
  readonly tenantId: string
  /** Undefined where its row is gone. */
  readonly name: string | undefined
  /** True of a table's rows to delete; undefined for a table without such rows. */
  condition(table: OwnedTable): Sql | undefined
}

/** Above the 5 s that the collector and the API know a site and a key, and the block that the collector then sends. */
const forgottenMs = 7_000

/** Imports and the collector find neither tenant nor site without these. */
const entrances: readonly string[] = ['sites', 'api_keys']

/** The lease of the deletion, and on a cluster the place that it is found by. */
const leaseTables: readonly string[] = ['import_leases', 'tenant_places']

type Databases = Pick<DatabaseAccess, 'writer' | 'shards'>

/** Throws where the rows are not all gone; running it again deletes the rest. */
export async function deleteTenant(databases: Databases, id: string, options: DeleteOptions): Promise<Deleted> {
  const [tenant] = await databases.writer.read(findTenant(id))
  return deleteRows(databases, options, {
    ...{ kind: 'tenant', id, tenantId: id, name: tenant?.name },
    condition: ({ table }) => sql`${name(table === 'tenants' ? 'id' : 'tenant_id')} = ${uuid(id)}`,
  })
}

/** Leaves rollups without a site as they are. */
export async function deleteSite(
  databases: Databases,
  tenantId: string,
  id: string,
  options: DeleteOptions,
): Promise<Deleted> {
  const [site] = await databases.writer.read(findSite(tenantId, id))
  return deleteRows(databases, options, {
    ...{ kind: 'site', id, tenantId, name: site?.name },
    condition: ({ table, ofSites }) =>
      ofSites
        ? sql`tenant_id = ${uuid(tenantId)} AND ${name(table === 'sites' ? 'id' : 'site_id')} = ${uuid(id)}`
        : undefined,
  })
}

async function deleteRows(
  { writer, shards }: Databases,
  { confirm, log }: DeleteOptions,
  target: Target,
): Promise<Deleted> {
  const { kind, id, tenantId } = target
  const databases = [...new Set([writer, ...shards()])]
  const deleted = await countRows(databases, target)
  if (target.name === undefined && Object.keys(deleted).length === 0) throw new Error(`There is no ${kind} ${id}`)
  const expected = target.name ?? id
  if (confirm !== expected) {
    throw new Error(
      `--confirm takes ${JSON.stringify(expected)}, to delete this ${kind}, not ${JSON.stringify(confirm)}`,
    )
  }
  function onWait(holder: string): never {
    throw new Error(`There is an import of tenant ${tenantId}, ${holder}: end it, or wait for it, before deleting`)
  }
  await withImportLease({ database: writer, tenantId, onWait, purpose: 'deletion' }, async (checkLease) => {
    const tables = Object.keys(deleted)
    await deleteFrom(
      databases,
      target,
      tables.filter((table) => entrances.includes(table)),
    )
    log(`Waiting ${forgottenMs / 1000} s until the API and the collector have forgotten the ${kind}`)
    await sleep(forgottenMs)
    await checkLease()
    const late = Object.keys(await countRows(databases, target))
    await deleteFrom(
      databases,
      target,
      late.filter((table) => table !== 'tenants' && !leaseTables.includes(table)),
    )
    // Last, so that an interrupted run is run again with the name.
    if (kind === 'tenant') await deleteFrom(databases, target, ['tenants'])
  })
  if (kind === 'tenant') await deleteFrom(databases, target, leaseTables)
  const left = Object.entries(await countRows(databases, target))
  if (left.length > 0) {
    const rows = left.map(([table, count]) => `${count} in ${table}`).join(', ')
    throw new Error(`Rows were stored meanwhile, ${rows}: run the command again, with --confirm ${id}`)
  }
  return deleted
}

/** Tables without rows to delete are left out. */
async function countRows(databases: readonly Database[], { condition }: Target): Promise<Deleted> {
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

async function deleteFrom(
  databases: readonly Database[],
  { condition }: Target,
  tables: readonly string[],
): Promise<void> {
  for (const database of databases) {
    const owned = (await database.read(listOwnedTables)).filter(({ table }) => tables.includes(table))
    // ClickHouse bounds how many run.
    await Promise.all(
      owned.map(async (one) => {
        const where = condition(one)
        if (where) await deleteOwnedRows(database, one.table, where)
      }),
    )
  }
}

/** Returns when the rows are off the disk. */
export async function deleteOwnedRows(database: Database, table: string, condition: Sql): Promise<void> {
  const { text, params } = render(sql`ALTER TABLE ${name(table)} DELETE WHERE ${condition}`)
  await database.command(text, { params, settings: { mutations_sync: '2' } })
}
