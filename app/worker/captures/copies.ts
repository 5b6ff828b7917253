/** @module Bytes of scripts by their hash, one file for all tenants. A file gets its name only after it is synced. */

import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { dayMs, hourMs } from '../../../schema/durations.ts'
import { syncFolder, writeSynced } from '../../program/write-synced.ts'

export type Copies = ReturnType<typeof openCopies>

/** Returns the hashes that a record names. */
type ListNamed = (hashes: readonly string[]) => Promise<ReadonlySet<string>>

const prefix = 'sha256-'

const hashOf = (bytes: Buffer) => prefix + createHash('sha256').update(bytes).digest('base64')

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

async function found<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** A file of this hour may be about to get its record, so it is not unused. */
const isOld = async (path: string) => ((await found(stat(path)))?.mtimeMs ?? Date.now()) < Date.now() - hourMs

async function removeUnnamed(subfolder: string, listNamed: ListNamed): Promise<void> {
  const hashes = new Map<string, string>()
  for (const name of await readdir(subfolder)) {
    const path = join(subfolder, name)
    if (/^[\da-f]{64}$/.test(name)) hashes.set(prefix + Buffer.from(name, 'hex').toString('base64'), path)
    else if (await isOld(path)) await rm(path)
  }
  const named = await listNamed([...hashes.keys()])
  for (const [hash, path] of hashes) if (!named.has(hash) && (await isOld(path))) await rm(path)
}

/** Folder below DATA_DIR/captures, created with the first copy. */
export function openCopies(dataDir: string) {
  const folder = join(dataDir, 'captures')
  const sweptPath = join(folder, 'swept')

  function pathOf(hash: string): string {
    const name = Buffer.from(hash.slice(prefix.length), 'base64').toString('hex')
    if (!hash.startsWith(prefix) || name.length !== 64) throw new Error(`${hash} is not a SHA-256`)
    return join(folder, name.slice(0, 2), name)
  }

  return {
    /** Size of the stored copy in bytes; undefined if there is none. */
    sizeOf: async (hash: string) => (await found(stat(pathOf(hash))))?.size,

    /** True if the bytes were not held before. */
    async put({ hash, chunks }: { readonly hash: string; readonly chunks: readonly Buffer[] }): Promise<boolean> {
      const path = pathOf(hash)
      const now = new Date()
      const isHeld = await found(utimes(path, now, now).then(() => true))
      if (isHeld) return false
      if (await mkdir(dirname(path), { recursive: true })) await syncFolder(folder)
      await writeSynced(`${path}.${randomUUID()}.part`, path, chunks)
      return true
    },

    /** Undefined if there is no copy. Throws an Error of one line if the file has other bytes. */
    async get(hash: string): Promise<Buffer | undefined> {
      const bytes = await found(readFile(pathOf(hash)))
      if (bytes && hashOf(bytes) !== hash) {
        throw new Error(
          `The bytes of ${pathOf(hash)} do not match the hash in its name: restore it from a backup of DATA_DIR`,
        )
      }
      return bytes
    },

    /** Throws if no copy can be written. */
    async probe(): Promise<void> {
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'probe'), '0')
      await rm(join(folder, 'probe'), { force: true })
    },

    /** Removes files without a record, and parts left by a killed worker, once per week. */
    async sweep(listNamed: ListNamed): Promise<void> {
      const swept = await found(stat(sweptPath))
      if (swept && swept.mtimeMs > Date.now() - 7 * dayMs) return
      const entries = (await found(readdir(folder))) ?? []
      if (entries.length === 0) return
      // The first week begins with the first copy: a database that is not restored yet names none.
      if (swept) {
        for (const name of entries.filter((entry) => entry.length === 2)) {
          await removeUnnamed(join(folder, name), listNamed)
        }
      }
      await writeFile(sweptPath, '')
    },
  }
}
