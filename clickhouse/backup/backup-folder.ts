/** @module Backups in a folder that this process reaches: those of the embedded engine, or of a server's folder or disk. */

import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { onlyRow, rowCount } from '../../queries/sql/rows.ts'
import { sql } from '../../queries/sql/sql.ts'

export interface StoredBackup {
  readonly name: string
  /** False if it was interrupted. */
  readonly isWhole: boolean
  /** Name of the backup whose files it needs; null if it needs none. */
  readonly base: string | null
  readonly createdAt: string
}

const isMissing = (error: NodeJS.ErrnoException) => error.code === 'ENOENT'

/** ClickHouse writes it last. */
const metadataOf = (folder: string, name: string, part: string) =>
  readFile(join(folder, name, part, '.backup'), 'utf8').catch((error) => {
    if (isMissing(error)) return undefined
    throw error
  })

/** Oldest first; empty if there is no such folder. */
export async function listBackups(folder: string): Promise<StoredBackup[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
    if (isMissing(error)) return []
    throw error
  })
  const found = entries.filter((entry) => entry.isDirectory()).map(({ name }) => findBackup(folder, name))
  return (await Promise.all(found)).toSorted((one, other) => one.createdAt.localeCompare(other.createdAt))
}

async function findBackup(folder: string, name: string): Promise<StoredBackup> {
  const [data, contents] = [await metadataOf(folder, name, 'data'), await metadataOf(folder, name, 'contents')]
  return {
    name,
    isWhole: data !== undefined && contents !== undefined,
    base: /<base_backup>[^<]*?([\w.-]+)\/data/.exec(data ?? '')?.[1] ?? null,
    createdAt: (await stat(join(folder, name))).mtime.toISOString(),
  }
}

/** Throws an Error of one line if there is none, or if an increment needs it. */
export async function removeBackup(folder: string, name: string): Promise<void> {
  const backups = await listBackups(folder)
  if (!backups.some((backup) => backup.name === name)) throw new Error(`There is no backup ${name} in ${folder}`)
  const increments = backups.filter(({ base }) => base === name).map((backup) => backup.name)
  if (increments.length > 0)
    throw new Error(`The backup ${name} is the base of ${increments.join(', ')}: remove those first`)
  await rm(join(folder, name), { recursive: true })
}

const countRunning: Query<{ running: number }> = {
  name: 'countRunningBackups',
  statement: sql`SELECT count() AS running FROM system.backups WHERE status = 'CREATING_BACKUP'`,
  row: z.object({ running: rowCount }),
  pool: 'maintenance',
}

/** Removes a backup of that name that was interrupted. Throws an Error of one line while ClickHouse writes one. */
export async function removeInterrupted(database: Pick<Database, 'read'>, folder: string, name: string): Promise<void> {
  if (onlyRow(await database.read(countRunning)).running > 0)
    throw new Error('Another backup is running: wait until it finishes')
  const backups = await listBackups(folder)
  if (backups.some((backup) => backup.name === name && !backup.isWhole))
    await rm(join(folder, name), { recursive: true })
}
