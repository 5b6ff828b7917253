import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import type { Rejection } from './import-tally.ts'

/** A file of rejections, one a line. */
export interface RejectedFile {
  write(rejection: Rejection): Promise<void>
  /** Ends the file; whether there is one. */
  close(): Promise<boolean>
}

/** Removes an old file at the path; a new one appears only when there is something to write. */
export async function createRejectedFile(path: string): Promise<RejectedFile> {
  await rm(path, { force: true })
  let stream: WriteStream | undefined
  return {
    async write(rejection) {
      stream ??= open(path)
      if (stream.errored) throw stream.errored
      if (!stream.write(`${JSON.stringify(rejection)}\n`)) await once(stream, 'drain')
    },
    async close() {
      if (!stream) return false
      stream.end()
      await finished(stream)
      return true
    },
  }
}

/** An error is thrown by the next call; without a listener it would end the process. */
function open(path: string): WriteStream {
  return createWriteStream(path).on('error', () => {})
}
