/** @module Names and files of segments in a collector's folder. A segment's token is its name and its insert's deduplication token. */

import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { minuteMs } from '../../schema/durations.ts'
import { syncFolder, writeSynced } from '../program/write-synced.ts'
import { encodeHead, encodeRecord, type SegmentContent } from './segment-file.ts'

export const logFolder = (dataDir: string): string => join(dataDir, 'collector')

/** States: being appended to; not yet sent; attempted; stored; set aside for an operator. */
const states = ['open', 'log', 'begun', 'sent', 'refused', 'unreadable'] as const
export type SegmentState = (typeof states)[number]

export interface SegmentFile {
  readonly path: string
  readonly token: string
  readonly state: SegmentState
  readonly bytes: number
  /** First attempt of a begun segment; time of storage of a sent one. */
  readonly changedAt: number
}

/** Linux writes a changed page to disk after 30 s, and ext4 a name after 5 s. */
export const sentForMs = 10 * minuteMs

const fileName = new RegExp(`^([\\w-]+)\\.(${states.join('|')})$`)

/** Tokens sort in the order of their creation. */
export const makeToken = (): string => `${Date.now().toString(16).padStart(12, '0')}-${randomUUID()}`

/** Token of the part of a segment that a shard gets; `wholeOf` returns '' for a token that is no part. */
export const partOf = (token: string, shard: number) => `${token}-s${shard}`
export const wholeOf = (token: string) => (/-s\d+$/.test(token) ? token.replace(/-s\d+$/, '') : '')

/** True for a segment that no collector sends. */
export const isSetAside = ({ state }: Pick<SegmentFile, 'state'>): boolean =>
  state === 'refused' || state === 'unreadable'

/** True for a segment to be sent. */
export const isWaiting = ({ state }: Pick<SegmentFile, 'state'>): boolean =>
  state === 'open' || state === 'log' || state === 'begun'

/** Oldest first; empty if the folder does not exist. */
export async function listSegments(folder: string): Promise<SegmentFile[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const files = names.toSorted().map(async (name) => {
    const [, token = '', state] = fileName.exec(name) ?? []
    const path = join(folder, name)
    // Its collector can rename or remove it between the two calls.
    const found = state === undefined ? undefined : await stat(path).catch(() => undefined)
    if (!found?.isFile()) return undefined
    return { path, token, state: state as SegmentState, bytes: found.size, changedAt: found.mtimeMs }
  })
  return (await Promise.all(files)).filter((file) => file !== undefined)
}

export type SegmentFolder = ReturnType<typeof segmentFolder>

export function segmentFolder(folder: string) {
  const pathOf = (token: string, state: SegmentState) => join(folder, `${token}.${state}`)

  async function move(token: string, from: readonly SegmentState[], to: SegmentState): Promise<void> {
    const [first = 'log', ...others] = from
    await rename(pathOf(token, first), pathOf(token, to)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' || others.length === 0) throw error
      return move(token, others, to)
    })
  }

  return {
    folder,
    pathOf,
    async read(token: string): Promise<Buffer> {
      for (const state of ['log', 'begun', 'sent', 'open'] as const) {
        const bytes = await readFile(pathOf(token, state)).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error
          return undefined
        })
        if (bytes) return bytes
      }
      throw new Error(`There is no segment ${token} in ${folder}`)
    },
    /** Replaces a segment with the same name and state. */
    write: (token: string, state: SegmentState, { columns, records }: Pick<SegmentContent, 'columns' | 'records'>) =>
      writeSynced(`${pathOf(token, state)}.new`, pathOf(token, state), [
        encodeHead(columns),
        ...records.map((record) => encodeRecord(record)),
      ]),
    writeBytes: (token: string, state: SegmentState, bytes: Buffer) =>
      writeSynced(`${pathOf(token, state)}.new`, pathOf(token, state), [bytes]),
    /** Called before its first attempt: its bytes no longer change. */
    async begin(token: string, now: number): Promise<void> {
      // If the sync failed, it already has its new name.
      await move(token, ['log', 'open', 'begun'], 'begun')
      await utimes(pathOf(token, 'begun'), now / 1000, now / 1000)
      await syncFolder(folder)
    },
    async finish(token: string): Promise<void> {
      const now = new Date()
      await utimes(pathOf(token, 'begun'), now, now)
      await move(token, ['begun'], 'sent')
    },
    seal: (token: string) => move(token, ['open'], 'log'),
    remove: (token: string, state: SegmentState) => rm(pathOf(token, state), { force: true }),
    /** Removes segments that were stored longer ago than the given time. */
    async removeSent(olderThanMs: number): Promise<void> {
      for (const { path, state, changedAt } of await listSegments(folder)) {
        if (state === 'sent' && Date.now() - changedAt > olderThanMs) await rm(path, { force: true })
      }
    },
    /** Restarts the ten minutes of all sent segments, which were just restored. */
    async touchSent(): Promise<void> {
      const now = new Date()
      for (const { path, state } of await listSegments(folder)) if (state === 'sent') await utimes(path, now, now)
    },
  }
}
