import { type FileHandle, open } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { ByteSource } from '../import/ndjson/read-batches.ts'
import type { RejectedFileTarget } from '../import/ndjson/rejected-file.ts'

/** Lines to import. */
export interface ImportSource {
  /** Each piece is valid until the next is asked for. */
  readonly pieces: ByteSource
  /** Lets go of it, and ends a wait for a pipe that is silent. */
  close(): void
  /** In bytes; undefined where it cannot be known. */
  readonly size: number | undefined
  readonly rejected: RejectedFileTarget
}

const pieceBytes = 1024 * 1024

/** What files begin with that hold no UTF-8, and what to do about them. */
const otherFormats: readonly (readonly [beginning: string, advice: string])[] = [
  ['1f8b', 'is compressed by gzip: zcat FILE, and import its output as -'],
  ['28b52ffd', 'is compressed by zstd: zstdcat FILE, and import its output as -'],
  ['fffe', 'is UTF-16: save it as UTF-8'],
  ['feff', 'is UTF-16: save it as UTF-8'],
]

/** What a regular file's first bytes say against it; undefined where they say nothing. */
async function otherFormat(handle: FileHandle): Promise<string | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
  const beginning = buffer.toString('hex', 0, bytesRead)
  return otherFormats.find(([bytes]) => beginning.startsWith(bytes))?.[1]
}

type Bytes = Pick<ImportSource, 'pieces' | 'close'>

const streamed = (stream: Readable): Bytes => ({ pieces: stream, close: () => stream.destroy() })

/** A stream would leave tens of megabytes of pieces behind before they are collected; these share one buffer. */
function readInto(handle: FileHandle): Bytes {
  async function* pieces() {
    const buffer = Buffer.allocUnsafeSlow(pieceBytes)
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, pieceBytes)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  }
  return { pieces: pieces(), close: () => void handle.close().catch(() => {}) }
}

/**
 * Opens a file, or stdin for `-`. Throws an Error of one line when the file cannot be read.
 * @param folder what a relative path starts from.
 */
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
    ...(found.isFile() ? readInto(handle) : streamed(handle.createReadStream({ highWaterMark: pieceBytes }))),
    size: found.isFile() ? found.size : undefined,
    // Beside a pipe of the shell, /dev/fd/63, nothing can be written.
    rejected: found.isFile()
      ? { path: `${path}.rejected.ndjson`, overwrite: true, fallbackPath: here }
      : { path: here, overwrite: false },
  }
}

/** The folder the caller stands in: npm runs its scripts in the package's folder, and names the caller's here. */
export function callersFolder(environment: NodeJS.ProcessEnv): string {
  const byNpm = environment.npm_lifecycle_event === 'cli' ? environment.INIT_CWD : undefined
  return byNpm ?? process.cwd()
}
