import { setTimeout as sleep } from 'node:timers/promises'
import { untilAcknowledged } from '../../clickhouse/cluster/collector-blocks.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { onlyRow } from '../../queries/sql/rows.ts'
import { findOldestWaiting } from '../../queries/tenants/activity.ts'
import { ofSite, ofTenant, tieSources } from '../../queries/tenants/owned-tables.ts'
import { findSites } from '../../queries/tenants/sites.ts'
import { findTenant } from '../../queries/tenants/tenants.ts'
import { acknowledgedMs, forgottenMs } from '../../schema/durations.ts'
import { holdCollectors } from '../import/hold.ts'
import { withLease } from '../program/lease.ts'
import { countRows, type Databases, deleteRows, type RowCondition, type RowCounts } from './owned-rows.ts'
import { removeSite } from './remove-site.ts'
import { retireTokens } from './retire-tokens.ts'

export interface DeleteSettings {
  /** Wait until the API and the collector have forgotten the tenant or site; the product's value by default. */
  readonly untilForgotten?: (milliseconds: number) => Promise<unknown>
}

export interface DeleteOptions {
  /** Name of the tenant or site; its id if its row is gone. */
  readonly confirm: string
  readonly settings?: DeleteSettings
  /** Called before the first row is deleted. */
  readonly removeUsers?: () => Promise<void>
  log(line: string): void
}

interface Target {
  readonly kind: 'tenant' | 'site'
  readonly id: string
  readonly tenantId: string
  /** Undefined if its row is gone. */
  readonly name: string | undefined
  readonly condition: RowCondition
  /** Tables that an interrupted run needs when it is run again: for the name, or to find rows of others. */
  readonly last: readonly string[]
  /** Deletes the rows of these tables. */
  remove(tables: readonly string[], databases: readonly Database[]): Promise<void>
}

/** Imports and the collector find neither tenant nor site without these. */
const entrances: readonly string[] = ['sites', 'api_keys']

/** The lease of the deletion, and on a cluster the row of the shard that it is found on. */
const leaseTables: readonly string[] = ['import_leases', 'tenant_places']

/** Throws if the rows are not all gone; running it again deletes the rest. */
export async function deleteTenant(databases: Databases, id: string, options: DeleteOptions): Promise<RowCounts> {
  const [tenant] = await databases.writer.read(findTenant(id))
  const condition: RowCondition = ({ table }) => ofTenant(table, id)
  return deleteTarget(databases, options, {
    kind: 'tenant',
    id,
    tenantId: id,
    name: tenant?.name,
    condition,
    last: ['tenants'],
    remove: (tables, all) => deleteRows(all, condition, tables),
  })
}

/** Cached responses and rollups are right when it returns. */
export async function deleteSite(
  databases: Databases,
  tenantId: string,
  id: string,
  options: DeleteOptions,
): Promise<RowCounts> {
  const [site] = await databases.writer.read(findSites(tenantId, [id]))
  const ref = { tenantId, siteId: id }
  const condition: RowCondition = (table) => ofSite(table, ref)
  return deleteTarget(databases, options, {
    kind: 'site',
    id,
    tenantId,
    name: site?.name,
    condition,
    last: tieSources,
    remove: (tables, all) => removeSite(databases, ref, { tables, databases: all }),
  })
}

async function deleteTarget(
  { writer, shards }: Databases,
  { confirm, settings: { untilForgotten = sleep } = {}, removeUsers, log }: DeleteOptions,
  target: Target,
): Promise<RowCounts> {
  const { kind, id, tenantId, last } = target
  const databases = [...new Set([writer, ...shards()])]
  const deleted = await countRows(databases, target.condition)
  if (target.name === undefined && Object.keys(deleted).length === 0) throw new Error(`There is no ${kind} ${id}`)
  const expected = target.name ?? id
  if (confirm !== expected) {
    throw new Error(
      `--confirm must be ${JSON.stringify(expected)} to delete this ${kind}, not ${JSON.stringify(confirm)}`,
    )
  }
  function onWait(holder: string, by: string): never {
    throw new Error(`Stop the ${by} by ${holder}, or wait for it, before you delete from tenant ${tenantId}`)
  }
  await withLease(
    { database: writer, leaseId: tenantId, kind: kind === 'tenant' ? 'deletion' : 'site deletion', onWait },
    async (checkLease) => {
      await removeUsers?.()
      const tables = Object.keys(deleted)
      const sites = target.condition({ table: 'sites', ofSites: true })
      if (sites) await retireTokens(writer, sites)
      await deleteRows(
        databases,
        target.condition,
        tables.filter((table) => entrances.includes(table)),
      )
      log(`Waiting ${forgottenMs / 1000} s for the API and the collector to forget the ${kind}`)
      await untilForgotten(forgottenMs)
      const waiting = shards().map((database) => ({ database }))
      await untilAcknowledged(waiting, tenantId, acknowledgedMs, () =>
        log('Waiting for blocks of the collector'),
      ).catch(() =>
        log(`A collector has an unacknowledged block: its reports of the ${kind} are dropped when it is sent`),
      )
      const { seconds, hosts } = onlyRow(await writer.read(findOldestWaiting))
      if (hosts.length > 0) {
        log(
          `Reports of the last ${seconds} s are waiting in the log of the collector on ${hosts.join(', ')}; those of the ${kind} are dropped when they are sent`,
        )
      }
      await checkLease()
      const late = Object.keys(await countRows(databases, target.condition))
      const remaining = late.filter((table) => !last.includes(table) && !leaseTables.includes(table))
      const remove = async () => {
        // Reports of a block in flight would be counted twice; rollups of a tenant are not counted again.
        if (kind === 'site') await untilAcknowledged(waiting, tenantId, acknowledgedMs, () => undefined)
        await target.remove(remaining, databases)
      }
      await holdCollectors(writer, remove, { log })
      if (kind === 'site') await requireGone(databases, target, last)
      await deleteRows(databases, target.condition, last)
    },
  )
  if (kind === 'tenant') await deleteRows(databases, target.condition, leaseTables)
  await requireGone(databases, target)
  return deleted
}

/** Throws if there are rows in any table except the given ones. */
async function requireGone(
  databases: readonly Database[],
  { id, condition }: Target,
  excepted: readonly string[] = [],
): Promise<void> {
  const counts = await countRows(databases, (owned) => (excepted.includes(owned.table) ? undefined : condition(owned)))
  const rows = Object.entries(counts).map(([table, count]) => `${count} in ${table}`)
  if (rows.length === 0) return
  throw new Error(
    `Rows were stored during the deletion, ${rows.join(', ')}: run the command again with --confirm ${id}`,
  )
}
