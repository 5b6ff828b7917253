import { type Sql, sql } from '../../queries/sql/sql.ts'

/** Location of backups: below the data by default, on a disk of ClickHouse, or in a bucket. */
export interface BackupPlace {
  readonly disk?: string | undefined
  /** Address of a folder in a bucket. */
  readonly s3?: string | undefined
  /** Key of the bucket; without it the server uses its own. */
  readonly s3Key?: { readonly id: string; readonly secret: string } | undefined
}

/** A backup consists of two ClickHouse backups: the database, and a list of its contents, stored last. */
export type BackupPart = 'data' | 'contents'

export function backupTarget(name: string, part: BackupPart, { disk, s3, s3Key }: BackupPlace): Sql {
  const path = `${name}/${part}`
  if (disk !== undefined) return sql`Disk(${literal(disk)}, ${literal(path)})`
  if (s3 === undefined) return sql`File(${literal(path)})`
  const url = literal(`${s3.replace(/\/$/, '')}/${path}`)
  return s3Key ? sql`S3(${url}, ${literal(s3Key.id)}, ${literal(s3Key.secret)})` : sql`S3(${url})`
}

/** Name of the database in a backup, independent of its own. */
export const storedDatabase = sql`default`

/** Table of the parts that a backup has. */
export const contentsTable = 'backup_contents'

/** BACKUP and RESTORE have no parameters for the location of a backup. */
export const literal = (value: string): Sql => ({
  strings: [`'${value.replaceAll(/['\\]/g, '\\$&')}'`],
  values: [],
})
