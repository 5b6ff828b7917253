import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { replaceReplica } from '../../../clickhouse/cluster/replace-replica.ts'
import { replicated } from '../../../clickhouse/cluster/replicated.ts'
import { migrate } from '../../../clickhouse/migrate.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { subcommand } from '../command/subcommand.ts'
import { noCluster, shardOption } from './tenant-shards.ts'

const replica = option('--replica <NAME>', {
  about: 'The lost replica',
  takes: 'the value of the macro "replica" on its server, such as 2',
  schema: z.string().regex(/^[\w-]{1,64}$/),
}).makeOptionMandatory()

export function addCluster(program: Command, context: Context): void {
  const cluster = subcommand(program, 'cluster', { about: 'The servers of a cluster' })

  subcommand(cluster, 'replace', {
    about:
      'Replace a replica whose disk is lost: remove it, wait for its new server, migrate, wait for its parts, compare them',
    notes: [
      'Stop its server first, and start it with an empty volume when the command tells you to. Every other server must respond.',
      'A server that still has its tables is not removed, only migrated and compared. Safe to interrupt: run it again to continue.',
      'Prints {"shard", "replica", "node", "tables", "reports"}.',
    ],
    examples: ['cluster replace --shard 1 --replica 2'],
  })
    .addOption(shardOption('The shard of the replica').makeOptionMandatory())
    .addOption(replica)
    .action(async ({ shard, replica }) => {
      const { CLICKHOUSE_URL, CLICKHOUSE_CLUSTER } = context.config()
      if (!CLICKHOUSE_URL || !CLICKHOUSE_CLUSTER) throw new Error(noCluster)
      // Loaded when they are needed: the clients of ClickHouse.
      const { openCluster } = await import('../../../clickhouse/cluster/open-cluster.ts')
      const onStep = (step: string) => context.log(step)
      const replaced = await replaceReplica(
        { shard, replica },
        {
          open: () => openCluster(CLICKHOUSE_URL, context.settings.connectOptions),
          migrate: (opened) =>
            migrate(opened.client, { onStep, cluster: { cluster: opened, replication: replicated } }),
          onStep,
        },
      )
      context.finish(replaced)
    })
}
