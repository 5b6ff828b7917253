import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../queries/clickhouse/client.ts'
import { name, render, type Sql, sql, uuid } from '../../queries/sql/sql.ts'
import { findSite } from '../../queries/tenants/find-site.ts'
import { findTenant } from '../../queries/tenants/find-tenant.ts'
import { countOwnedRows, listOwnedTables, type OwnedTable } from '../../queries/tenants/list-owned-tables.ts'
import { withImportLease } from '../import/reports/import-lease.ts'

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

/** Throws where the rows are not all gone; running it again deletes the rest. */
export async function deleteTenant(database: Database, id: string, options: DeleteOptions): Promise<Deleted> {
  const [tenant] = await database.read(findTenant(id))
  return deleteRows(database, options, {
    ...{ kind: 'tenant', id, tenantId: id, name: tenant?.name },
    condition: ({ table }) => sql`${name(table === 'tenants' ? 'id' : 'tenant_id')} = ${uuid(id)}`,
  })
}

/** Leaves rollups without a site as they are. */
export async function deleteSite(
  database: Database,
  tenantId: string,
  id: string,
  options: DeleteOptions,
): Promise<Deleted> {
  const [site] = await database.read(findSite(tenantId, id))
  return deleteRows(database, options, {
    ...{ kind: 'site', id, tenantId, name: site?.name },
    condition: ({ table, ofSites }) =>
      ofSites
        ? sql`tenant_id = ${uuid(tenantId)} AND ${name(table === 'sites' ? 'id' : 'site_id')} = ${uuid(id)}`
        : undefined,
  })
}

async function deleteRows(database: Database, { confirm, log }: DeleteOptions, target: Target): Promise<Deleted> {
  const { kind, id, tenantId } = target
  const deleted = await countRows(database, target)
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
  await withImportLease({ database, tenantId, onWait, purpose: 'deletion' }, async (checkLease) => {
    const tables = Object.keys(deleted)
    await deleteFrom(
      database,
      target,
      tables.filter((table) => entrances.includes(table)),
    )
    log(`Waiting ${forgottenMs / 1000} s until the API and the collector have forgotten the ${kind}`)
    await sleep(forgottenMs)
    await checkLease()
    const late = Object.keys(await countRows(database, target))
    await deleteFrom(
      database,
      target,
      late.filter((table) => table !== 'tenants' && table !== 'import_leases'),
    )
    // Last, so that an interrupted run is run again with the name.
    if (kind === 'tenant') await deleteFrom(database, target, ['tenants'])
  })
  if (kind === 'tenant') await deleteFrom(database, target, ['import_leases'])
  const left = Object.entries(await countRows(database, target))
  if (left.length > 0) {
    const rows = left.map(([table, count]) => `${count} in ${table}`).join(', ')
    throw new Error(`Rows were stored meanwhile, ${rows}: run the command again, with --confirm ${id}`)
  }
  return deleted
}

/** Tables without rows to delete are left out. */
async function countRows(database: Database, { condition }: Target): Promise<Deleted> {
  const counts: Record<string, number> = {}
  for (const owned of await database.read(listOwnedTables)) {
    const where = condition(owned)
    const [counted] = where ? await database.read(countOwnedRows(owned.table, where)) : []
    if (counted && counted.rows > 0) counts[owned.table] = counted.rows
  }
  return counts
}

async function deleteFrom(database: Database, { condition }: Target, tables: readonly string[]): Promise<void> {
  for (const owned of await database.read(listOwnedTables)) {
    const where = condition(owned)
    if (!where || !tables.includes(owned.table)) continue
    const { text, params } = render(sql`ALTER TABLE ${name(owned.table)} DELETE WHERE ${where}`)
    await database.command(text, { params, settings: { mutations_sync: '2' } })
  }
}
