/** @module The rejected file is created with its first line, so that a clean import creates none. */

import { once } from 'node:events'
import type { WriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { type Rejection, toRejectedLine } from './rejected-line.ts'

export interface RejectedFileTarget {
  readonly path: string
  /** Replaces the file of an earlier run; false adds a number to the name instead. */
  readonly overwrite: boolean
  /** Used if `path` is not writable. */
  readonly fallbackPath?: string
}

export async function createRejectedFile(target: RejectedFileTarget) {
  // A file that cannot be removed fails again at the first write.
  if (target.overwrite) await rm(target.path, { force: true }).catch(() => {})
  let file: { path: string; stream: WriteStream } | undefined
  return {
    async write(rejection: Rejection): Promise<void> {
      file ??= await createAt(target)
      const { stream } = file
      if (stream.errored) throw stream.errored
      if (!stream.write(`${toRejectedLine(rejection)}\n`)) await once(stream, 'drain')
    },
    /** Path of the finished file; undefined if nothing was rejected. */
    async close(): Promise<string | undefined> {
      if (!file) return undefined
      file.stream.end()
      await finished(file.stream)
      return file.path
    },
  }
}

async function createAt({ path, fallbackPath }: RejectedFileTarget) {
  return fallbackPath === undefined ? create(path) : create(path).catch(() => create(fallbackPath))
}

/** Adds the first free number to a name that exists. */
async function create(path: string): Promise<{ path: string; stream: WriteStream }> {
  for (let number = 1; ; number++) {
    const free = number === 1 ? path : path.replace(/(\.rejected\.ndjson)?$/, `.${number}$1`)
    const handle = await open(free, 'wx').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    // The next call throws the stream's error; without a listener it would end the process.
    if (handle) return { path: free, stream: handle.createWriteStream().on('error', () => {}) }
  }
}
