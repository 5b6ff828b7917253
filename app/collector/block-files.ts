/** @module The files of a collector's blocks, for people and metrics; a collector sends and removes its own by `spool.ts`. */

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Name of the folder of one shard's blocks. The first shard has the folder of one server, whose blocks it sends. */
export const spoolFolder = (dataDir: string, shard = 1): string =>
  join(dataDir, 'collector', shard === 1 ? '' : `shard-${shard}`)

/** Name of the folder of blocks that ClickHouse has, for ten minutes after. */
export const storedFolder = (dataDir: string): string => join(dataDir, 'collector-stored')

const states = ['block', 'withdrawn', 'refused', 'unreadable'] as const

export interface BlockFile {
  readonly path: string
  /** From 1. */
  readonly shard: number
  readonly token: string
  /** End of the file's name. */
  readonly state: (typeof states)[number]
  readonly bytes: number
  readonly savedAt: Date
}

/** True for a block that no collector sends again. */
export const isSetAside = ({ state }: Pick<BlockFile, 'state'>): boolean =>
  state === 'refused' || state === 'unreadable'

const shardFolder = /^shard-([1-9]\d*)$/
const fileName = new RegExp(`^(.+)\\.(${states.join('|')})$`)

/** Oldest first. A folder that is not there has none. */
export async function listBlockFiles(dataDir: string): Promise<BlockFile[]> {
  const folders = (await entriesOf(spoolFolder(dataDir))).map((entry) => shardFolder.exec(entry.name)?.[1])
  const shards = [1, ...folders.filter((number) => number !== undefined).map(Number)]
  const files = await Promise.all(shards.map((shard) => filesOf(spoolFolder(dataDir, shard), shard)))
  return files.flat().toSorted((one, other) => one.savedAt.getTime() - other.savedAt.getTime())
}

const entriesOf = (folder: string) =>
  readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })

async function filesOf(folder: string, shard: number): Promise<BlockFile[]> {
  const files = (await entriesOf(folder)).map(async (entry) => {
    const [, token, state] = (entry.isFile() && fileName.exec(entry.name)) || []
    if (token === undefined) return undefined
    const path = join(folder, entry.name)
    // A collector that runs removes a file meanwhile.
    const found = await stat(path).catch(() => undefined)
    if (!found) return undefined
    return { path, shard, token, state: state as BlockFile['state'], bytes: found.size, savedAt: found.mtime }
  })
  return (await Promise.all(files)).filter((file) => file !== undefined)
}
