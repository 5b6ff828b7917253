/** @module Commands of a cluster, where each tenant is on one shard. */

import { type Command, Option } from '@commander-js/extra-typings'
import { z } from 'zod'
import { everyShard } from '../../../clickhouse/cluster/every-shard.ts'
import type { Cluster } from '../../../clickhouse/cluster/open-cluster.ts'
import { emptiestShard, measureShards, planMoves } from '../../../clickhouse/cluster/shard-sizes.ts'
import { assignShard, shardOfTenant } from '../../../clickhouse/cluster/tenant-shards.ts'
import { pendingMigrations } from '../../../clickhouse/migrate.ts'
import { readMigrations } from '../../../clickhouse/migration-files.ts'
import { listTenants } from '../../../queries/tenants/tenants.ts'
import { copyFromServer } from '../../tenants/copy-from-server.ts'
import { countTenantRows, moveTenant } from '../../tenants/move-tenant.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { openTenant } from '../command/require-tenant.ts'
import { anyTenant, tenant } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'

const shardSchema = z
  .string()
  .regex(/^[1-9]\d{0,3}$/)
  .transform(Number)

export const shardOption = (about: string) =>
  option('--shard <N>', { about, takes: 'the number of a shard, from 1', schema: shardSchema })

export const noCluster = 'There are no shards: if CLICKHOUSE_URL names the nodes of a cluster, set CLICKHOUSE_CLUSTER=1'

function requireCluster(cluster: Cluster | undefined): Cluster {
  if (cluster) return cluster
  throw new Error(noCluster)
}

export const newTenantShard = shardOption(
  'Shard of the tenant, on a cluster (default: the shard with the fewest bytes)',
)

/** Shard of a new tenant, before it has a row. Throws if the database is a single server. */
export async function assignNewTenant(
  cluster: Cluster | undefined,
  id: string,
  shard: number | undefined,
): Promise<void> {
  if (cluster === undefined && shard === undefined) return
  const own = requireCluster(cluster)
  await assignShard(own, id, shard ?? (await emptiestShard(own)))
}

const from = option('--from <URL>', {
  about: 'URL of the source server, as its writer',
  takes: 'a URL such as http://writer:password@host:8123/default',
  schema: z.url({ protocol: /^https?$/ }),
}).makeOptionMandatory()

const plan = new Option('--plan', 'Print the moves without making them').makeOptionMandatory()

export function addTenantShards(tenants: Command, context: Context): void {
  for (const add of [addPlace, addMove, addBalance, addCopy]) add(tenants, context)
}

function addPlace(tenants: Command, context: Context): void {
  subcommand(tenants, 'place', {
    about: "Print a tenant's shard and its rows on every shard",
    notes: [
      'On a cluster. Rows on another shard belong to a move that is running or was interrupted: run the move again.',
    ],
    examples: ['tenants place --tenant ID'],
  })
    .addOption(tenant)
    .action(async ({ tenant }) => {
      const { shards, cluster } = await openTenant(context, tenant)
      const shard = await shardOfTenant(requireCluster(cluster), tenant)
      const rows = await Promise.all(shards().map((database) => countTenantRows(database, tenant)))
      context.finish({ id: tenant, shard, rows: Object.fromEntries(rows.map((count, index) => [index + 1, count])) })
    })
}

function addMove(tenants: Command, context: Context): void {
  subcommand(tenants, 'move', {
    about: 'Move a tenant to another shard: copy, compare, switch, remove',
    notes: [
      'Every node of the cluster must respond. The API and the collector keep serving the tenant during the move; imports of reports',
      'wait. Safe to interrupt: run it again to continue.',
      'Rollups are recounted from the reports. Prints {"id", "shard", "checked", "different", "differences"}. Exits 1 if',
      'a rollup differs, for example while reports arrive: run "rollups check --tenant ID", and if it differs "rollups rebuild".',
    ],
    examples: ['tenants move --tenant ID --shard 2'],
  })
    .addOption(tenant)
    .addOption(shardOption('The new shard').makeOptionMandatory())
    .action(async ({ tenant, shard }) => {
      const { cluster } = await openTenant(context, tenant)
      const moved = await moveTenant(requireCluster(cluster), tenant, shard, { log: context.log })
      context.finish(moved, moved.different > 0 ? 1 : 0)
    })
}

function addBalance(tenants: Command, context: Context): void {
  subcommand(tenants, 'balance', {
    about: 'Print the tenants to move so that no shard is more than 10 % larger than the average',
    notes: [
      'On a cluster. Moves nothing: run "tenants move" for each, in this order. A tenant\'s bytes are estimated from its share',
      'of the reports on its shard. Prints {"shards": [{"shard", "bytes", "planned"}], "moves": [{"id", "from", "to", "bytes"}]}.',
    ],
    examples: ['tenants balance --plan'],
  })
    .addOption(plan)
    .action(async () => {
      const { cluster } = await context.database()
      const target = requireCluster(cluster)
      everyShard(target)
      const shards = await measureShards(target)
      const moves = planMoves(shards).map(({ bytes, ...move }) => ({ ...move, bytes: Math.round(bytes) }))
      const sum = (key: 'from' | 'to', shard: number) =>
        moves.reduce((total, move) => total + (move[key] === shard ? move.bytes : 0), 0)
      const sizes = shards.map(({ number: shard, bytes }) => ({
        shard,
        bytes,
        planned: bytes - sum('from', shard) + sum('to', shard),
      }))
      context.finish({ shards: sizes, moves })
    })
}

function addCopy(tenants: Command, context: Context): void {
  subcommand(tenants, 'copy', {
    about: 'Copy tenants from one server into the cluster, with their sites, keys, reports and records',
    notes: [
      'Stop imports and the collector first: nothing may write to the server or the cluster. The server keeps its rows. Each tenant',
      'is compared after its copy. Safe to interrupt: run it again to continue; identical tenants are skipped. SQL users are not copied:',
      'create them again with "tenants sql-user create".',
    ],
    examples: [
      'tenants copy --from http://writer:PASSWORD@old:8123/default',
      'tenants copy --from http://writer:PASSWORD@old:8123/default --tenant ID --shard 2',
    ],
  })
    .addOption(from)
    .addOption(anyTenant)
    .addOption(shardOption('The new shard (default: for each tenant the shard with the fewest bytes)'))
    .action(async ({ from, tenant, shard }) => {
      const { cluster } = await context.database()
      const target = requireCluster(cluster)
      const { connect } = await import('../../../queries/clickhouse/client.ts')
      const server = connect(from)
      try {
        const pending = await pendingMigrations(server, await readMigrations())
        if (pending.length > 0) throw new Error(`The server lacks ${pending.join(', ')}: run "migrate" there first`)
        const ids = (await server.read(listTenants)).map(({ id }) => id).filter((id) => id === (tenant ?? id))
        if (tenant !== undefined && ids.length === 0) throw new Error(`The server has no tenant ${tenant}`)
        context.finish({ tenants: await copyFromServer(target, server, ids, { shard, log: context.log }) })
      } finally {
        await server.close()
      }
    })
}
