import type { StartedBatch } from '../reports/import-log.ts'
import { collectLines, type LineBatch } from './line-batch.ts'

/** Cuts a source into batches of lines whose tokens chain, so that a repeated import recognises each batch. */

/** Bytes in chunks of any size, text being UTF-8; a Readable is one. */
export type ByteSource = AsyncIterable<Uint8Array | string>

export interface ChainedBatch extends LineBatch {
  /** SHA-256 over the previous token and the batch's lines. */
  readonly token: string
  /** 1-based number of its first line. */
  readonly firstLine: number
  readonly maxLineBytes: number
  /** Bytes of the source read so far, this batch included. */
  readonly bytesRead: number
}

export interface BatchLimits {
  /** A batch ends with the line that reaches this size. */
  readonly batchBytes: number
  /** Longer lines are rejected unread. */
  readonly maxLineBytes: number
}

const lineFeed = 0x0a

/** @param signal aborted where the source was ended early: its last line can be half read. */
export function readBatches(source: ByteSource, limits: BatchLimits, signal?: AbortSignal) {
  const chunks = source[Symbol.asyncIterator]()
  // A batch exceeds its limit by up to one line; pages of the buffer that are never written take no memory.
  const collector = collectLines(limits.maxLineBytes, limits.batchBytes + limits.maxLineBytes)
  let chunk = Buffer.alloc(0)
  let at = 0
  let nextLine = 1
  let bytesRead = 0

  /** Collects the chunk up to its next line feed; true where it has one. */
  function collectLine(): boolean {
    const end = chunk.indexOf(lineFeed, at)
    const stop = end < 0 ? chunk.length : end
    if (stop > at) collector.append(chunk.subarray(at, stop))
    if (end >= 0) collector.endLine()
    const next = end < 0 ? stop : stop + 1
    bytesRead += next - at
    at = next
    return end >= 0
  }

  /** False at the end of the source. */
  async function refill(): Promise<boolean> {
    const { done, value } = await chunks.next()
    chunk = value === undefined ? Buffer.alloc(0) : toBuffer(value)
    at = 0
    return !done
  }

  function finish(token: string): ChainedBatch {
    const firstLine = nextLine
    nextLine += collector.lines()
    return { ...collector.batch(), token, firstLine, maxLineBytes: limits.maxLineBytes, bytesRead }
  }

  return {
    /**
     * Next batch, valid until the next call; undefined at the end. It ends at the end of a started batch of the same
     * lines, or at the size limit. A last line without a line feed, which may be half written, is a batch of its own.
     */
    async next(previousToken: string, started: readonly StartedBatch[]): Promise<ChainedBatch | undefined> {
      collector.restart(previousToken)
      const startedLines = new Set(started.map(({ lines }) => lines))
      const startedTokens = new Set(started.map(({ token }) => token))
      const isStarted = () => startedLines.has(collector.lines()) && startedTokens.has(collector.digest())
      for (;;) {
        if (!collectLine()) {
          if (await refill()) continue
          if (
            !signal?.aborted &&
            collector.isOpen() &&
            (collector.lines() === 0 || startedTokens.has(collector.digestIfEnded()))
          ) {
            collector.endLine()
          }
          break
        }
        if (collector.size() >= limits.batchBytes || isStarted()) break
      }
      return collector.lines() === 0 ? undefined : finish(collector.digest())
    },
    async close(): Promise<void> {
      await chunks.return?.()
    },
  }
}

export interface BatchLine {
  /** 1-based number in the file. */
  readonly line: number
  /** Bytes that are not UTF-8 are U+FFFD; an overlong line is '', with an error. */
  readonly text: string
  readonly error: string | undefined
  readonly start: number
  readonly end: number
}

/** Decodes a batch line by line. */
export function* linesOf({ bytes, ends, overlong, firstLine, maxLineBytes }: ChainedBatch): Generator<BatchLine> {
  let start = 0
  for (const [index, end] of ends.entries()) {
    const length = overlong.get(index)
    const error =
      length === undefined ? undefined : `the line has ${length} bytes; the importer takes up to ${maxLineBytes}`
    const text = error === undefined ? bytes.toString('utf8', start, end) : ''
    yield { line: firstLine + index, text, error, start, end }
    start = end + 1
  }
}

function toBuffer(value: Uint8Array | string): Buffer<ArrayBuffer> {
  return typeof value === 'string'
    ? Buffer.from(value)
    : Buffer.from(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength)
}
