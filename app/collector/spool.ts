/**
 * @module Blocks on disk while they are inserted: an insert that a crash cut off can be half stored, and is sent again.
 * They are synced, and stored ones remain for ten minutes: ClickHouse syncs no part, and a power cut takes its last ones.
 */

import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { minuteMs } from '../../schema/durations.ts'
import { syncFolder, writeSynced } from '../program/write-synced.ts'

export interface SpooledBlock {
  /** Deduplication token of its insert. */
  readonly token: string
  /** Token of its steps in the import log. */
  readonly stepToken: string
  readonly tenantIds: readonly string[]
  /** Lines of JSONCompactEachRow. */
  readonly rows: Buffer
}

/** A file of the folder. */
export interface SpoolEntry {
  readonly token: string
  /** Whether its posts got a 503: it is stored only where ClickHouse has a part of it. */
  readonly isWithdrawn: boolean
}

/** The folder cannot be written or read. */
export class SpoolError extends Error {}

const head = z.object({ stepToken: z.string(), tenantIds: z.array(z.string()), bytes: z.int() })

const suffix = '.block'
const withdrawnSuffix = '.withdrawn'
/** Of a block that is being written. */
const unfinishedSuffix = `${suffix}.new`
const probeName = 'probe'
const bootName = 'boot'
/** Linux writes a changed page to disk after 30 s, and ext4 a name after 5 s. */
const storedForMs = 10 * minuteMs
const lineEnd = 0x0a

export type Spool = Awaited<ReturnType<typeof openSpool>>

/**
 * Its methods reject with SpoolError.
 * @param folder of one collector; it is made where it is missing.
 * @param storedFolder on the same disk, of stored blocks, which are removed at once without it.
 */
export async function openSpool(folder: string, storedFolder?: string) {
  const withFolder = <Result>(task: () => Promise<Result>): Promise<Result> =>
    task().catch((cause: NodeJS.ErrnoException) => {
      throw new SpoolError(`${folder}: ${cause.code}`, { cause })
    })
  const files = async (end: string, of = folder) =>
    (await readdir(of, { withFileTypes: true }))
      .filter((entry) => entry.isFile() && entry.name.endsWith(end))
      .map(({ name }) => name.slice(0, -end.length))
  const pathOf = (token: string, end = suffix) => join(folder, `${token}${end}`)
  const pathOfEntry = ({ token, isWithdrawn }: SpoolEntry) => pathOf(token, isWithdrawn ? withdrawnSuffix : suffix)
  const storedPath = (token: string) => join(storedFolder ?? folder, `${token}${suffix}`)

  /** Oldest first. */
  async function storedFiles() {
    if (storedFolder === undefined) return []
    const found = await Promise.all(
      (await files(suffix, storedFolder)).map(async (token) => ({
        token,
        at: (await stat(storedPath(token))).mtimeMs,
      })),
    )
    return found.toSorted((one, other) => one.at - other.at)
  }

  async function removeStored(olderThanMs: number): Promise<void> {
    for (const { token, at } of await storedFiles()) {
      if (Date.now() - at > olderThanMs) await rm(storedPath(token), { force: true })
    }
  }

  for (const made of [folder, storedFolder]) if (made !== undefined) await mkdir(made, { recursive: true })
  for (const token of await files(unfinishedSuffix)) await rm(pathOf(token, unfinishedSuffix), { force: true })
  return {
    /** On the disk when it returns, with its name. */
    save: ({ token, stepToken, tenantIds, rows }: SpooledBlock) =>
      withFolder(async () => {
        const line = `${JSON.stringify({ stepToken, tenantIds, bytes: rows.length })}\n`
        const write = () => writeSynced(pathOf(token, unfinishedSuffix), pathOf(token), [line, rows])
        await write().catch(async (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOSPC') throw error
          // Older ones are on ClickHouse's disk as far as the kernel's times are its defaults.
          await removeStored(minuteMs)
          await write()
        })
      }),
    /** Marks a block before its posts get their 503; a rename, which a full disk takes too. */
    withdraw: (token: string) =>
      withFolder(async () => {
        await rename(pathOf(token), pathOf(token, withdrawnSuffix))
        await syncFolder(folder)
      }),
    /** Ends the sending of a block that ClickHouse has. */
    moveToStored: (entry: SpoolEntry) =>
      withFolder(async () => {
        const path = pathOfEntry(entry)
        if (storedFolder === undefined) return rm(path, { force: true })
        const now = new Date()
        await utimes(path, now, now)
        await rename(path, storedPath(entry.token))
      }),
    /** Withdrawn or not. */
    remove: (token: string) =>
      withFolder(async () => {
        for (const end of [suffix, withdrawnSuffix]) await rm(pathOf(token, end), { force: true })
      }),
    /** Sets a block aside for people, one that ClickHouse refuses or that cannot be read; it is not sent again. */
    setAside: (entry: SpoolEntry, as: 'refused' | 'unreadable') =>
      withFolder(() => rename(pathOfEntry(entry), pathOf(entry.token, `.${as}`))),
    list: () =>
      withFolder(async (): Promise<SpoolEntry[]> => {
        const [blocks, withdrawn] = [await files(suffix), await files(withdrawnSuffix)]
        return [
          ...blocks.map((token) => ({ token, isWithdrawn: false })),
          ...withdrawn.map((token) => ({ token, isWithdrawn: true })),
        ]
      }),
    /** Tokens of stored blocks, oldest first. */
    listStored: () => withFolder(async () => (await storedFiles()).map(({ token }) => token)),
    /** Undefined for a block that cannot be read, as one that a power failure cut off. */
    load: (entry: SpoolEntry): Promise<SpooledBlock | undefined> => readBlock(pathOfEntry(entry), entry.token),
    loadStored: (token: string): Promise<SpooledBlock | undefined> => readBlock(storedPath(token), token),
    /** Removes stored blocks that were stored over ten minutes ago. */
    removeOld: () => withFolder(() => removeStored(storedForMs)),
    /** The boot of ClickHouse's machine after which no stored block is missing; undefined before the first. */
    lastBoot: async (): Promise<string | undefined> =>
      readFile(join(storedFolder ?? folder, bootName), 'utf8').catch(() => undefined),
    /** Also restarts the ten minutes of all stored blocks, which were just restored. */
    saveBoot: (boot: string) =>
      withFolder(async () => {
        const path = join(storedFolder ?? folder, bootName)
        const now = new Date()
        for (const { token } of await storedFiles()) await utimes(storedPath(token), now, now)
        await writeSynced(`${path}.new`, path, [boot])
      }),
    /** Writes and removes a byte. */
    probe: () =>
      withFolder(async () => {
        await writeFile(join(folder, probeName), '0')
        await rm(join(folder, probeName))
      }),
  }
}

/** Undefined for a file that is not a whole block. */
export async function readBlock(path: string, token: string): Promise<SpooledBlock | undefined> {
  const file = await readFile(path).catch(() => undefined)
  if (!file) return undefined
  const end = file.indexOf(lineEnd)
  const rows = file.subarray(end + 1)
  try {
    const { stepToken, tenantIds, bytes } = head.parse(JSON.parse(file.toString('utf8', 0, end)))
    return rows.length === bytes ? { token, stepToken, tenantIds, rows } : undefined
  } catch {
    return undefined
  }
}
