import { type Command, Option } from '@commander-js/extra-typings'
import { replicated } from '../../../clickhouse/cluster/replicated.ts'
import { migrate } from '../../../clickhouse/migrate.ts'
import { planMigrations } from '../../../clickhouse/plan-migrations.ts'
import { holdCollectors } from '../../import/hold.ts'
import type { Context } from '../command/context.ts'
import { subcommand } from '../command/subcommand.ts'

const plan = new Option('--plan', 'Change nothing; print the migrations to run and the estimated time')

export function addMigrate(program: Command, context: Context): void {
  subcommand(program, 'migrate', {
    about: 'Apply pending migrations and print them',
    notes: [
      'It can be repeated, and run concurrently. The embedded engine is migrated at every start.',
      'A migration that creates or changes a rollup fills it from the stored reports, month by month. The API can serve requests',
      'and collectors accept posts; no import may be running. After an interruption, run it again: it continues with the same month.',
      '--plan prints {"pending", "fills", "rows", "seconds"}: the migrations; each rollup with its months and the rows that fill it;',
      'the total number of rows, and the estimated seconds on two cores.',
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
        hold: (shards, task) =>
          holdCollectors(writer, task, { shards, log: context.log, onLate: ({ message }) => context.log(message) }),
      })
      context.finish({ applied: [...migrated, ...applied] })
    })
}
