import type { Command } from '@commander-js/extra-typings'
import { restore } from '../../../clickhouse/backup/restore.ts'
import { migrate } from '../../../clickhouse/migrate.ts'
import { checkEveryShard } from '../../../clickhouse/rollups/check-every-shard.ts'
import type { Config } from '../../config.ts'
import { share, withProgress } from '../../program/show-progress.ts'
import { backupName, backupPlace, disk, placeNotes, s3 } from '../command/backup-place.ts'
import type { Context } from '../command/context.ts'
import { subcommand } from '../command/subcommand.ts'

export function addRestore(program: Command, context: Context): void {
  subcommand(program, 'restore', {
    about: 'Restore a backup into an empty database, check it, and migrate it to this release',
    notes: [
      'A database is empty if it has no tenant: a new DATA_DIR, a new server, or a database that was only migrated.',
      'Files are compared with their checksums, parts with the backup, and rollups with their reports.',
      'Backups contain neither encryption keys nor copies of scripts: it prints what else to copy from the old DATA_DIR.',
      ...placeNotes,
      'Prints {"restored", "tables", "rows", "comparedParts", "applied", "checked", "different", "differences"}: what "migrate" applied,',
      'then the output of "rollups check". Exits 1 if a day differs, for example if reports were stored during the backup: run "rollups rebuild".',
    ],
    examples: ['restore 2026-11-26', 'restore 2026-11-26 --s3 https://bucket.s3.amazonaws.com/backups'],
  })
    .addArgument(backupName)
    .addOption(disk)
    .addOption(s3)
    .action(async (name, given) => {
      const config = context.config()
      const place = backupPlace(given, config)
      const { writer, cluster, shards } = await context.database('as it is')
      if (cluster) throw new Error('Restore a cluster at one replica of each shard: see clickhouse/cluster/README.md')
      const restored = await restore(writer, name, place, context.log)
      // The first start with the folder would load the demo into it.
      if (!config.CLICKHOUSE_URL) {
        // Loaded when it is needed, with the demo's reports.
        const { skipDemo } = await import('../../demo/load-demo.ts')
        await skipDemo(config.DATA_DIR)
      }
      const applied = await migrate(writer, { onStep: context.log })
      const check = await withProgress(context.stderr, 1, (update) =>
        checkEveryShard(shards(), {
          onProgress: (done, total, note) => update(share(done, total), `checking ${note}`),
        }),
      )
      context.log(notInBackup(config))
      context.finish({ restored: name, ...restored, applied, ...check }, check.different > 0 ? 1 : 0)
    })
}

/** Backups do not contain the key: with it, a reader of the backup could decrypt every address. */
const notInBackup = ({ CLICKHOUSE_URL }: Config) =>
  `Copy what the backup does not contain: ${CLICKHOUSE_URL ? 'SECRETS_KEY, and captures/ of the DATA_DIR of the worker' : 'secrets.key (or SECRETS_KEY) and captures/ of the DATA_DIR that was backed up'}. Then run "doctor" to check that the addresses of alerts can be decrypted`
