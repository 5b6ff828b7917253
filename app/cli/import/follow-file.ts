/**
 * @module Follows a file by its name, like `tail -F`. Polling twice per second works on every file system, unlike
 * inotify.
 */

import { type FileHandle, open, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ByteSource } from '../../import/ndjson/read-batches.ts'

export interface FollowOptions {
  readonly path: string
  /** The file when it is first opened. */
  readonly handle: FileHandle
  /** Ends the file that is read. */
  readonly signal: AbortSignal
  readonly onNewFile: () => void
  /** Waits for more, or for the signal. */
  readonly pause?: (signal: AbortSignal) => Promise<void>
}

type Pause = NonNullable<FollowOptions['pause']>

const pollMs = 500
const chunkBytes = 1024 * 1024

/** Yields the file, and again each time that another took its name or that it was truncated. */
export async function* followFile(options: FollowOptions): AsyncGenerator<ByteSource> {
  const { path, handle, signal, onNewFile, pause = halfSecond } = options
  for (let file: FileHandle | undefined = handle; file; file = await reopen(path, signal, pause)) {
    if (file !== handle) onNewFile()
    try {
      yield chunksOf(file, path, signal, pause)
    } finally {
      await file.close()
    }
  }
}

/** Chunks in one shared buffer, until the file is truncated, or replaced and not written for half a second. */
async function* chunksOf(file: FileHandle, path: string, signal: AbortSignal, pause: Pause): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(chunkBytes)
  let position = 0
  let isReplaced = false
  while (!signal.aborted) {
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position)
    position += bytesRead
    if (bytesRead > 0) {
      isReplaced = false
      yield buffer.subarray(0, bytesRead)
      continue
    }
    if (isReplaced) return
    const [opened, named] = await Promise.all([file.stat(), stat(path).catch(() => undefined)])
    if (opened.size < position) return
    // Its writer opens the new file a moment after its creation, and appends to this one until then.
    isReplaced = named !== undefined && (named.ino !== opened.ino || named.dev !== opened.dev)
    await pause(signal)
  }
}

/** Waits while no file has the name, for example between two steps of a rotation. */
async function reopen(path: string, signal: AbortSignal, pause: Pause): Promise<FileHandle | undefined> {
  while (!signal.aborted) {
    const file = await open(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (file) return file
    await pause(signal)
  }
  return undefined
}

const halfSecond: Pause = (signal) => sleep(pollMs, undefined, { signal }).catch(() => {})
