import type { KnownBatch } from '../reports/import-log.ts'
import { collectLines, type LineBatch } from './line-batch.ts'

/** A file's bytes in pieces of any size, text being UTF-8; a Readable is one. Line ends are part of the bytes. */
export type ByteSource = AsyncIterable<Uint8Array | string>

/** A batch and its place in the file. */
export interface ChainedBatch extends LineBatch {
  /** Chained SHA-256 of the file's lines up to this batch's end. */
  readonly token: string
  /** 1-based number of its first line. */
  readonly firstLine: number
  /** Bytes; longer lines are not held. */
  readonly longestLine: number
  /** Bytes of the source read so far, this batch included. */
  readonly bytesRead: number
}

/** Reads a file batch by batch. */
export interface BatchReader {
  /**
   * The next batch, valid until the next call; undefined at the end. It ends where a known batch of the same lines
   * did, and otherwise at the size limit, so that the same lines always make the same batches. A last line without its
   * end is a batch of its own: it may be half written, and must not make the lines before it other lines than next time.
   * @param previous the token of the batch before.
   */
  next(previous: string, known: readonly KnownBatch[]): Promise<ChainedBatch | undefined>
  /** Lets go of the source. */
  close(): Promise<void>
}

export interface BatchLimits {
  /** A batch ends with the line that reaches this size. */
  readonly batchBytes: number
  /** Longer lines are not held. */
  readonly longestLine: number
}

const lineFeed = 0x0a

/** Reads batches of lines from a source. */
export function readBatches(source: ByteSource, limits: BatchLimits): BatchReader {
  const pieces = source[Symbol.asyncIterator]()
  // A batch ends behind its limit, with a line; room that is never written to takes no memory.
  const collector = collectLines(limits.longestLine, limits.batchBytes + limits.longestLine)
  let piece = Buffer.alloc(0)
  let at = 0
  let nextLine = 1
  let bytesRead = 0

  /** Collects what the piece has of a line; whether the line ended in it. */
  function collectLine(): boolean {
    const end = piece.indexOf(lineFeed, at)
    const stop = end < 0 ? piece.length : end
    if (stop > at) collector.append(piece.subarray(at, stop))
    if (end >= 0) collector.endLine()
    const next = end < 0 ? stop : stop + 1
    bytesRead += next - at
    at = next
    return end >= 0
  }

  /** False at the end of the source. */
  async function refill(): Promise<boolean> {
    const { done, value } = await pieces.next()
    piece = value === undefined ? Buffer.alloc(0) : toBuffer(value)
    at = 0
    return !done
  }

  function finish(token: string): ChainedBatch {
    const firstLine = nextLine
    nextLine += collector.lines()
    return { ...collector.batch(), token, firstLine, longestLine: limits.longestLine, bytesRead }
  }

  return {
    async next(previous, known) {
      collector.restart(previous)
      const knownLines = new Set(known.map(({ lines }) => lines))
      const knownTokens = new Set(known.map(({ token }) => token))
      const isKnown = () => knownLines.has(collector.lines()) && knownTokens.has(collector.digest())
      for (;;) {
        if (!collectLine()) {
          if (await refill()) continue
          if (collector.isOpen() && (collector.lines() === 0 || knownTokens.has(collector.digestEnded()))) {
            collector.endLine()
          }
          break
        }
        if (collector.size() >= limits.batchBytes || isKnown()) break
      }
      return collector.lines() === 0 ? undefined : finish(collector.digest())
    },
    async close() {
      await pieces.return?.()
    },
  }
}

/** A line of a batch. */
export interface BatchLine {
  /** 1-based number in the file. */
  readonly line: number
  /** '' where it is too long to hold. */
  readonly text: string
  /** Why it is refused unread. */
  readonly refusal: string | undefined
  /** Where it stands in the batch's bytes; those that are not UTF-8 are U+FFFD in the text. */
  readonly start: number
  readonly end: number
}

/** A batch's lines in their order, decoded one by one. */
export function* linesOf({ bytes, ends, overlong, firstLine, longestLine }: ChainedBatch): Generator<BatchLine> {
  let start = 0
  for (const [index, end] of ends.entries()) {
    const length = overlong.get(index)
    const refusal =
      length === undefined ? undefined : `the line has ${length} bytes; the importer takes up to ${longestLine}`
    const text = refusal === undefined ? bytes.toString('utf8', start, end) : ''
    yield { line: firstLine + index, text, refusal, start, end }
    start = end + 1
  }
}

function toBuffer(value: Uint8Array | string): Buffer<ArrayBuffer> {
  return typeof value === 'string'
    ? Buffer.from(value)
    : Buffer.from(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength)
}
