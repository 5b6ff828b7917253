/**
 * @module Blocks on disk while they are inserted: an insert that a crash cut off can be half stored, and is sent again.
 * Not synced to disk: it outlives its process, as ClickHouse's own parts do, and not a power failure.
 */

import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

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
const lineEnd = 0x0a

export type Spool = Awaited<ReturnType<typeof openSpool>>

/** Its methods reject with SpoolError. @param folder of one collector; it is made where it is missing. */
export async function openSpool(folder: string) {
  const withFolder = <Result>(task: () => Promise<Result>): Promise<Result> =>
    task().catch((cause: NodeJS.ErrnoException) => {
      throw new SpoolError(`${folder}: ${cause.code}`, { cause })
    })
  const files = async (end: string) =>
    (await readdir(folder, { withFileTypes: true }))
      .filter((entry) => entry.isFile() && entry.name.endsWith(end))
      .map(({ name }) => name.slice(0, -end.length))
  const pathOf = (token: string, end = suffix) => join(folder, `${token}${end}`)
  const pathOfEntry = ({ token, isWithdrawn }: SpoolEntry) => pathOf(token, isWithdrawn ? withdrawnSuffix : suffix)

  await mkdir(folder, { recursive: true })
  for (const token of await files(unfinishedSuffix)) await rm(pathOf(token, unfinishedSuffix), { force: true })
  return {
    save: ({ token, stepToken, tenantIds, rows }: SpooledBlock) =>
      withFolder(async () => {
        const unfinished = pathOf(token, unfinishedSuffix)
        const line = `${JSON.stringify({ stepToken, tenantIds, bytes: rows.length })}\n`
        await writeFile(unfinished, [line, rows], { mode: 0o600 })
        await rename(unfinished, pathOf(token))
      }),
    /** Marks a block before its posts get their 503; a rename, which a full disk takes too. */
    withdraw: (token: string) => withFolder(() => rename(pathOf(token), pathOf(token, withdrawnSuffix))),
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
    /** Undefined for a block that cannot be read, as one that a power failure cut off. */
    load: (entry: SpoolEntry): Promise<SpooledBlock | undefined> => readBlock(pathOfEntry(entry), entry.token),
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
