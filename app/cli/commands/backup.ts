import type { Command } from '@commander-js/extra-typings'
import { backUp } from '../../../clickhouse/backup/back-up.ts'
import { lackingMigrations } from '../../../clickhouse/migrate.ts'
import { readMigrations } from '../../../clickhouse/migration-files.ts'
import { backupName, backupPlace, base, disk, placeNotes, s3 } from '../command/backup-place.ts'
import type { Context } from '../command/context.ts'
import { withProgress } from '../command/show-progress.ts'
import { subcommand } from '../command/subcommand.ts'

export function addBackup(program: Command, context: Context): void {
  subcommand(program, 'backup', {
    about: 'Back up the database: tenants, sites, keys, reports, rollups and records',
    notes: [
      'The API, the collector and imports may run; each table is as it was at one moment, which is not that of the others. Stop',
      'the collector and imports for one moment of all.',
      ...placeNotes,
      'Prints {"backup", "rows", "bytes", "changed"}: rows of all tables, bytes of the backup, tables that changed meanwhile.',
    ],
    examples: [
      'backup 2026-11-26',
      'backup 2026-11-27 --base 2026-11-26',
      'backup 2026-11-26 --s3 https://bucket.s3.amazonaws.com/backups',
    ],
  })
    .addArgument(backupName)
    .addOption(base)
    .addOption(disk)
    .addOption(s3)
    .action(async (name, { base, ...given }) => {
      const place = backupPlace(given, context.config())
      // The backup before an upgrade can be of an older release; of a newer one this throws OtherRelease.
      const { writer, cluster } = await context.database('as it is')
      await lackingMigrations(writer, await readMigrations())
      if (cluster)
        throw new Error('A cluster is backed up at one replica of each shard: see clickhouse/cluster/README.md')
      const result = await withProgress(context.stderr, undefined, (update) =>
        backUp(writer, name, place, { base, onProgress: (step) => update(0, step) }),
      )
      context.finish({ backup: name, ...result })
    })
}
