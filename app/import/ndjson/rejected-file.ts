import { once } from 'node:events'
import type { WriteStream } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { type Rejection, toRejectedLine } from './rejected-line.ts'

/** Where rejections go. */
export interface RejectedPlace {
  readonly path: string
  /** The path is of the imported file alone, so that what lies there is of an earlier run, and is replaced. */
  readonly isOwn: boolean
  /** Where they go when nothing can be written there, such as beside a file of somebody else. */
  readonly otherwise?: string
}

/** A file of rejections, one a line. */
export interface RejectedFile {
  write(rejection: Rejection): Promise<void>
  /** Ends the file and gives its path; undefined where nothing was rejected. */
  close(): Promise<string | undefined>
}

/** Removes an old file at a place of its own; a new one appears only when there is something to write. */
export async function createRejectedFile(place: RejectedPlace): Promise<RejectedFile> {
  // What cannot be removed is met again when something is to be written.
  if (place.isOwn) await rm(place.path, { force: true }).catch(() => {})
  let file: { path: string; stream: WriteStream } | undefined
  return {
    async write(rejection) {
      file ??= await createAt(place)
      const { stream } = file
      if (stream.errored) throw stream.errored
      if (!stream.write(`${toRejectedLine(rejection)}\n`)) await once(stream, 'drain')
    },
    async close() {
      if (!file) return undefined
      file.stream.end()
      await finished(file.stream)
      return file.path
    },
  }
}

async function createAt({ path, otherwise }: RejectedPlace): Promise<{ path: string; stream: WriteStream }> {
  if (otherwise === undefined) return create(path)
  return create(path).catch(() => create(otherwise))
}

/** A file that was not there: with a number in its name where others have rejected before. */
async function create(path: string): Promise<{ path: string; stream: WriteStream }> {
  for (let number = 1; ; number++) {
    const free = number === 1 ? path : path.replace(/(\.rejected\.ndjson)?$/, `.${number}$1`)
    const handle = await openNew(free)
    // An error is thrown by the next call; without a listener it would end the process.
    if (handle) return { path: free, stream: handle.createWriteStream().on('error', () => {}) }
  }
}

async function openNew(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'wx')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
}
