import { type FileHandle, open } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { ByteSource } from '../import/ndjson/read-batches.ts'
import type { RejectedFileTarget } from '../import/ndjson/rejected-file.ts'

export interface ImportSource {
  /** Each chunk is valid until the next is read. */
  readonly chunks: ByteSource
  /** Ends `chunks` after what was read, also where it waits for a silent pipe. */
  close(): void
  /** Bytes; undefined for a pipe. */
  readonly size: number | undefined
  readonly rejected: RejectedFileTarget
}

const chunkBytes = 1024 * 1024

/** First bytes of files that hold no UTF-8, with advice. */
const otherFormats: readonly (readonly [beginning: string, advice: string])[] = [
  ['1f8b', 'is compressed by gzip: zcat FILE, and import its output as -'],
  ['28b52ffd', 'is compressed by zstd: zstdcat FILE, and import its output as -'],
  ['fffe', 'is UTF-16: save it as UTF-8'],
  ['feff', 'is UTF-16: save it as UTF-8'],
]

async function otherFormat(handle: FileHandle): Promise<string | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
  const beginning = buffer.toString('hex', 0, bytesRead)
  return otherFormats.find(([bytes]) => beginning.startsWith(bytes))?.[1]
}

type Bytes = Pick<ImportSource, 'chunks' | 'close'>

function streamed(stream: Readable): Bytes {
  let closed = false
  async function* chunks() {
    try {
      yield* stream
    } catch (error) {
      if (!closed) throw error
    }
  }
  return {
    chunks: chunks(),
    close() {
      closed = true
      stream.destroy()
    },
  }
}

/** Chunks in one shared buffer: a stream's own chunks hold tens of megabytes until they are collected. */
function readInto(handle: FileHandle): Bytes {
  let closed = false
  async function* chunks() {
    const buffer = Buffer.allocUnsafeSlow(chunkBytes)
    while (!closed) {
      const { bytesRead } = await handle.read(buffer, 0, chunkBytes)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  }
  return {
    chunks: chunks(),
    close() {
      closed = true
      void handle.close().catch(() => {})
    },
  }
}

/** Opens a file, or stdin for `-`. @param folder base of relative paths. */
export async function openImportSource(file: string, stdin: Readable, folder: string): Promise<ImportSource> {
  if (file === '-') {
    return {
      ...streamed(stdin),
      size: undefined,
      rejected: { path: resolve(folder, 'stdin.rejected.ndjson'), overwrite: false },
    }
  }
  const path = resolve(folder, file)
  const handle = await open(path).catch((error: Error) => {
    throw new Error(`FILE cannot be read: ${error.message}`)
  })
  const found = await handle.stat()
  if (found.isDirectory()) {
    await handle.close()
    throw new Error(`FILE cannot be read: ${path} is a folder`)
  }
  const advice = found.isFile() ? await otherFormat(handle) : undefined
  if (advice !== undefined) {
    await handle.close()
    throw new Error(`FILE cannot be read: ${path} ${advice}`)
  }
  const here = `${resolve(folder, basename(path))}.rejected.ndjson`
  return {
    ...(found.isFile() ? readInto(handle) : streamed(handle.createReadStream({ highWaterMark: chunkBytes }))),
    size: found.isFile() ? found.size : undefined,
    // Beside a pipe of the shell, /dev/fd/63, nothing can be written.
    rejected: found.isFile()
      ? { path: `${path}.rejected.ndjson`, overwrite: true, fallbackPath: here }
      : { path: here, overwrite: false },
  }
}

/** The caller's working directory, which npm passes in INIT_CWD. */
export function callersFolder(environment: NodeJS.ProcessEnv): string {
  const byNpm = environment.npm_lifecycle_event === 'cli' ? environment.INIT_CWD : undefined
  return byNpm ?? process.cwd()
}
