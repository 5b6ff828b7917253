import { type Command, Option } from '@commander-js/extra-typings'
import { replicated } from '../../../clickhouse/cluster/replicated.ts'
import { migrate } from '../../../clickhouse/migrate.ts'
import { planMigrations } from '../../../clickhouse/plan-migrations.ts'
import type { Context } from '../command/context.ts'
import { subcommand } from '../command/subcommand.ts'

const plan = new Option('--plan', 'Change nothing, and print what would run and about how long it would take')

export function addMigrate(program: Command, context: Context): void {
  subcommand(program, 'migrate', {
    about: 'Bring the database up to date and print the migrations it applied',
    notes: [
      'It may be run again and by several at once. The embedded engine is migrated at every start by itself.',
      'A migration that makes or changes a rollup fills it from the stored reports, month by month. The API serves meanwhile;',
      'no import and no collector may run. A run that was cut off goes on with the month it was at.',
      '--plan prints {"pending", "fills", "rows", "seconds"}: the migrations; each rollup with its months and the rows that fill it;',
      'all of these rows, and about as many seconds as they take on two cores.',
    ],
    examples: ['migrate --plan', 'migrate'],
  })
    .addOption(plan)
    .action(async ({ plan }) => {
      if (plan) {
        const { reader, shards } = await context.database('as it is')
        return context.finish(await planMigrations(reader, shards()))
      }
      const { writer, migrated, cluster } = await context.database('any')
      const applied = await migrate(writer, {
        onStep: (step) => context.log(step),
        cluster: cluster && { cluster, replication: replicated },
      })
      context.finish({ applied: [...migrated, ...applied] })
    })
}
