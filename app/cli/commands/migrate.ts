import type { Command } from '@commander-js/extra-typings'
import { replicated } from '../../../clickhouse/cluster/replicated.ts'
import { migrate } from '../../../clickhouse/migrate.ts'
import type { Context } from '../command/context.ts'
import { subcommand } from '../command/subcommand.ts'

export function addMigrate(program: Command, context: Context): void {
  subcommand(program, 'migrate', {
    about: 'Bring the database up to date and print the migrations it applied',
    notes: ['It may be run again and by several at once. The embedded engine is migrated at every start by itself.'],
    examples: ['migrate'],
  }).action(async () => {
    const { writer, migrated, cluster } = await context.database('any')
    const applied = await migrate(writer, {
      onStep: (step) => context.log(step),
      cluster: cluster && { cluster, replication: replicated },
    })
    context.finish({ applied: [...migrated, ...applied] })
  })
}
