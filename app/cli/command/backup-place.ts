/** @module Arguments of `backup` and `restore`. */

import { join } from 'node:path'
import { z } from 'zod'
import type { BackupPlace } from '../../../clickhouse/backup/backup-target.ts'
import type { Config } from '../../config.ts'
import { argument, option } from './arguments.ts'

const takes = '1 to 100 letters, digits, dots, dashes and underscores'
const schema = z.string().regex(/^(?!\.)[\w.-]{1,100}$/)

export const backupName = argument('<NAME>', { about: 'Name of the backup', takes, schema })

export const base = option('--base <NAME>', {
  about: 'Earlier backup; files that it contains are not stored again',
  takes,
  schema,
})

export const disk = option('--disk <DISK>', {
  about: 'ClickHouse disk for backups (default: the folder "backups" in its data folder)',
  takes: 'the name of a disk in storage_configuration that is listed in backups.allowed_disk',
  schema: z.string().regex(/^\w{1,100}$/),
})

export const s3 = option('--s3 <URL>', {
  about: 'Bucket for backups, instead of a disk',
  takes: 'the URL of a folder in the bucket, such as https://bucket.s3.eu-central-1.amazonaws.com/backups',
  schema: z.url({ protocol: /^https?$/ }).regex(/^[^?#'\\]+$/),
})

export const folder = option('--folder <PATH>', {
  about:
    'Folder of the backups (default: DATA_DIR/clickhouse/backups); with CLICKHOUSE_URL, the backup folder of the server or its disk',
  takes: 'a path on this machine',
  schema: z.string().min(1),
})

/** Throws if it is not known. */
export function backupFolder(given: string | undefined, { CLICKHOUSE_URL, DATA_DIR }: Config): string {
  if (given !== undefined) return given
  if (!CLICKHOUSE_URL) return join(DATA_DIR, 'clickhouse', 'backups')
  throw new Error(
    "Run this on the server's machine with --folder set to its backup folder; for a bucket, use the tools of the bucket",
  )
}

export const placeNotes = [
  'The embedded engine stores backups in DATA_DIR/clickhouse/backups. Copy them to another machine; to restore, copy them to a new DATA_DIR.',
  "--s3 uses AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY if they are set, otherwise the server's credentials.",
]

/** Throws if two locations are given. */
export function backupPlace(given: Pick<BackupPlace, 'disk' | 's3'>, config: Config): BackupPlace {
  if (given.disk !== undefined && given.s3 !== undefined) throw new Error('Use --disk or --s3, not both')
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = config
  return { ...given, ...(id && secret && { s3Key: { id, secret } }) }
}
