import type { Command } from '@commander-js/extra-typings'
import { backUp } from '../../../clickhouse/backup/back-up.ts'
import { listBackups, removeBackup, removeInterrupted } from '../../../clickhouse/backup/backup-folder.ts'
import { lackingMigrations } from '../../../clickhouse/migrate.ts'
import { readMigrations } from '../../../clickhouse/migration-files.ts'
import { withProgress } from '../../program/show-progress.ts'
import { backupFolder, backupName, backupPlace, base, disk, folder, placeNotes, s3 } from '../command/backup-place.ts'
import type { Context } from '../command/context.ts'
import { subcommand } from '../command/subcommand.ts'

export function addBackup(program: Command, context: Context): void {
  const backup = subcommand(program, 'backup', {
    about: 'Back up the database: tenants, sites, keys, reports, rollups and records',
    notes: [
      'The API, the collector and imports may run: tables are consistent individually, not with each other. Stop the collector',
      'and imports for a consistent backup.',
      ...placeNotes,
      'The embedded engine replaces an interrupted backup of the same name; elsewhere, remove its folder first.',
      'Prints {"backup", "rows", "bytes", "changed"}: rows in all tables, size of the backup, tables that changed during the backup.',
    ],
    examples: [
      'backup 2026-11-26',
      'backup 2026-11-27 --base 2026-11-26',
      'backup 2026-11-26 --s3 https://bucket.s3.amazonaws.com/backups',
    ],
  })
  backup
    .addArgument(backupName)
    .addOption(base)
    .addOption(disk)
    .addOption(s3)
    .action(async (name, { base, ...given }) => {
      const config = context.config()
      const place = backupPlace(given, config)
      // The backup before an upgrade can be of an older release; of a newer one this throws OtherRelease.
      const { writer, cluster } = await context.database('as it is')
      await lackingMigrations(writer, await readMigrations())
      if (cluster) throw new Error('Back up a cluster at one replica of each shard: see clickhouse/cluster/README.md')
      if (!config.CLICKHOUSE_URL && Object.keys(given).length === 0)
        await removeInterrupted(writer, backupFolder(undefined, config), name)
      const result = await withProgress(context.stderr, undefined, (update) =>
        backUp(writer, name, place, { base, onProgress: (step) => update(0, step) }),
      )
      context.finish({ backup: name, ...result })
    })

  subcommand(backup, 'list', {
    about: 'Print the backups in a folder, oldest first',
    notes: [
      'Prints {"backups": [{"name", "isWhole", "base", "createdAt"}]}. An increment needs its "base". If "isWhole" is false, the backup was interrupted.',
    ],
    examples: ['backup list', 'backup list --folder /var/lib/clickhouse/backups'],
  })
    .addOption(folder)
    .action(async (given) => {
      context.finish({ backups: await listBackups(backupFolder(given.folder, context.config())) })
    })

  subcommand(backup, 'remove', {
    about: 'Remove a backup that no increment is based on; this cannot be undone',
    examples: ['backup remove 2026-11-26'],
  })
    .addArgument(backupName)
    .addOption(folder)
    .action(async (name, given) => {
      await removeBackup(backupFolder(given.folder, context.config()), name)
      context.finish({ backup: name, removed: true })
    })
}
