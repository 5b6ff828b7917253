import { migrate } from '../../clickhouse/migrate.ts'
import { command } from './command.ts'

/** `migrate` */
export const migrateDatabase = command({
  about: 'Bring the database up to date and print the migrations it applied',
  arguments: {},
  notes: ['It may be run again and by several at once. The embedded engine is migrated at every start by itself.'],
  examples: ['migrate'],
  async run(_values, context) {
    const { writer, migrated } = await context.engine('any')
    const applied = await migrate(writer, { onStep: (step) => context.say(step) })
    return { answer: { applied: [...migrated, ...applied] } }
  },
})
