import { open as openDescriptor, ReadStream } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { basename, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { ByteSource } from '../../import/ndjson/read-batches.ts'
import type { RejectedFileTarget } from '../../import/ndjson/rejected-file.ts'
import { explainError } from '../../program/explain-error.ts'
import { followFile } from './follow-file.ts'

export interface ImportSource {
  /** One file, or the successive files of a followed name. A chunk is valid until the next is read. */
  readonly files: Iterable<ByteSource> | AsyncIterable<ByteSource>
  /** Lines are stored as they arrive. */
  readonly isLive: boolean
  /** Ends `files` after the data read so far, even while waiting for a silent pipe. */
  close(): void
  /** Bytes; undefined for a pipe. */
  readonly size: number | undefined
  readonly rejected: RejectedFileTarget
}

const chunkBytes = 1024 * 1024

/** First bytes of files that are not UTF-8, with advice. */
const otherFormats: readonly (readonly [beginning: string, advice: string])[] = [
  ['1f8b', 'is compressed with gzip: pipe the output of zcat to FILE -'],
  ['28b52ffd', 'is compressed with zstd: pipe the output of zstdcat to FILE -'],
  ['fffe', 'is UTF-16: save it as UTF-8'],
  ['feff', 'is UTF-16: save it as UTF-8'],
]

async function otherFormat(handle: FileHandle): Promise<string | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
  const beginning = buffer.toString('hex', 0, bytesRead)
  return otherFormats.find(([bytes]) => beginning.startsWith(bytes))?.[1]
}

type Files = Pick<ImportSource, 'files' | 'isLive' | 'close'>

function streamed(stream: Readable, isLive: boolean): Files {
  let closed = false
  async function* chunks() {
    try {
      yield* stream
    } catch (error) {
      if (!closed) throw error
    }
  }
  return {
    files: [chunks()],
    isLive,
    close() {
      closed = true
      stream.destroy()
    },
  }
}

/** Chunks in one shared buffer: a stream's own chunks hold tens of megabytes until they are collected. */
function readInto(handle: FileHandle): Files {
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
    files: [chunks()],
    isLive: false,
    close() {
      closed = true
      void handle.close().catch(() => {})
    },
  }
}

function followed(path: string, handle: FileHandle, log: (line: string) => void): Files {
  const ended = new AbortController()
  const onNewFile = () => log(`${path} was replaced or truncated: reading it from the start`)
  return {
    files: followFile({ path, handle, signal: ended.signal, onNewFile }),
    isLive: true,
    close: () => ended.abort(),
  }
}

/** A read of a socket can be ended while the pipe is silent; a read of a file stream cannot. */
async function openPipe(path: string): Promise<Files> {
  const descriptor = await promisify(openDescriptor)(path, 'r')
  return streamed(new Socket({ fd: descriptor, readable: true, writable: false }), true)
}

export interface SourceOptions {
  readonly stdin: Readable
  /** Base of relative paths. */
  readonly folder: string
  /** Reads on at the end of the file. */
  readonly follow?: boolean | undefined
  readonly log?: (line: string) => void
}

/** Opens a file, or stdin for `-`. */
export async function openImportSource(
  file: string,
  { stdin, folder, follow = false, log = () => {} }: SourceOptions,
): Promise<ImportSource> {
  const path = resolve(folder, file)
  const found = file === '-' ? undefined : await stat(path).catch(cannotRead)
  if (follow && !found?.isFile()) {
    throw new Error('--follow requires a file; omit it for a pipe, whose lines are stored as they arrive')
  }
  if (!found) {
    const rejected = { path: resolve(folder, 'stdin.rejected.ndjson'), overwrite: false }
    // With `< FILE`, stdin is the stream of a file.
    return { ...streamed(stdin, !(stdin instanceof ReadStream)), size: undefined, rejected }
  }
  if (found.isDirectory()) throw new Error(`FILE cannot be read: ${path} is a folder`)
  const here = `${resolve(folder, basename(path))}.rejected.ndjson`
  // The folder of a shell's pipe, /dev/fd/63, is not writable.
  const unnamed = { size: undefined, rejected: { path: here, overwrite: false } }
  if (found.isFIFO()) return { ...(await openPipe(path).catch(cannotRead)), ...unnamed }
  const handle = await open(path).catch(cannotRead)
  if (!found.isFile()) return { ...streamed(handle.createReadStream({ highWaterMark: chunkBytes }), false), ...unnamed }
  const advice = await otherFormat(handle)
  if (advice !== undefined) {
    await handle.close()
    throw new Error(`FILE cannot be read: ${path} ${advice}`)
  }
  return {
    ...(follow ? followed(path, handle, log) : readInto(handle)),
    size: follow ? undefined : found.size,
    // A run that follows a file again does not read the files before it again.
    rejected: { path: `${path}.rejected.ndjson`, overwrite: !follow, fallbackPath: here },
  }
}

function cannotRead(error: Error): never {
  throw new Error(`FILE cannot be read: ${explainError(error)}`)
}

/** The caller's working directory, which npm passes in INIT_CWD. */
export function callersFolder(environment: NodeJS.ProcessEnv): string {
  const byNpm = environment.npm_lifecycle_event === 'cli' ? environment.INIT_CWD : undefined
  return byNpm ?? process.cwd()
}
