/** @module Cuts a source into batches of lines whose tokens chain, so that a repeated import recognises each batch. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { StartedBatch } from '../reports/import-log.ts'
import { collectLines, type LineBatch } from './line-batch.ts'

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
  /** End of a batch by the arrival of its first line; by default it waits for its size until the source ends. */
  readonly dueAt?: (firstLineAt: number) => number
}

const lineFeed = 0x0a

function readLines(source: ByteSource, collector: ReturnType<typeof collectLines>) {
  const chunks = source[Symbol.asyncIterator]()
  let chunk = Buffer.alloc(0)
  let at = 0
  let bytesRead = 0
  let reading: Promise<IteratorResult<Uint8Array | string>> | undefined

  /** Collects the chunk up to its next line feed; true if it has one. */
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

  /** Reads the next chunk, which is not waited for after the deadline. */
  async function refill(deadline = Number.POSITIVE_INFINITY): Promise<'chunk' | 'end' | 'late'> {
    reading ??= chunks.next()
    // An import that has ended does not await it.
    reading.catch(() => {})
    const read = await before(deadline, reading)
    if (read === undefined) return 'late'
    reading = undefined
    chunk = read.done ? Buffer.alloc(0) : toBuffer(read.value)
    at = 0
    return read.done ? 'end' : 'chunk'
  }

  return {
    collectLine,
    refill,
    bytesRead: () => bytesRead,
    /** A read in flight, for example of a silent pipe, ends when the source does. */
    async close(): Promise<void> {
      const closed = chunks.return?.()
      closed?.catch(() => {})
      if (!reading) await closed
    },
  }
}

/** @param signal aborted if the source ended early: its last line can be incomplete. */
export function readBatches(source: ByteSource, limits: BatchLimits, signal?: AbortSignal) {
  // A batch exceeds its limit by up to one line; untouched pages of the buffer use no memory.
  const collector = collectLines(limits.maxLineBytes, limits.batchBytes + limits.maxLineBytes)
  const { collectLine, refill, bytesRead, close } = readLines(source, collector)
  let nextLine = 1

  function finish(token: string): ChainedBatch {
    const firstLine = nextLine
    nextLine += collector.lines()
    return { ...collector.batch(), token, firstLine, maxLineBytes: limits.maxLineBytes, bytesRead: bytesRead() }
  }

  return {
    /** Digest of the first line, before the first batch; undefined for none. */
    async opening(): Promise<string | undefined> {
      collector.restart('')
      while (!collectLine()) {
        if ((await refill()) === 'chunk') continue
        return collector.isOpen() && !signal?.aborted ? collector.digestIfEnded() : undefined
      }
      return collector.digest()
    },
    /**
     * Next batch, valid until the next call; undefined at the end. It ends at the end of a started batch with the same
     * lines, at the size limit, or at its time limit. A last line without a line feed, which may be incomplete, is a
     * separate batch. Lines that may belong to a longer started batch wait without a limit. They are dropped if the
     * source ended early, because part of a started batch would be stored twice.
     */
    async next(previousToken: string, started: readonly StartedBatch[]): Promise<ChainedBatch | undefined> {
      collector.restart(previousToken)
      const startedLines = new Set(started.map(({ lines }) => lines))
      const startedTokens = new Set(started.map(({ token }) => token))
      const mostLines = Math.max(0, ...startedLines)
      const isStarted = () => startedLines.has(collector.lines()) && startedTokens.has(collector.digest())
      let deadline = Number.POSITIVE_INFINITY
      // The first batch begins with the line of the opening.
      let atLineEnd = collector.lines() > 0
      for (;;) {
        if (atLineEnd && (collector.size() >= limits.batchBytes || isStarted())) break
        atLineEnd = collectLine()
        if (atLineEnd) continue
        if (deadline === Number.POSITIVE_INFINITY && collector.lines() > 0) {
          deadline = limits.dueAt?.(performance.now()) ?? Number.POSITIVE_INFINITY
        }
        const refilled = await refill(collector.lines() >= mostLines ? deadline : undefined)
        if (refilled === 'chunk') continue
        if (
          refilled === 'end' &&
          !signal?.aborted &&
          collector.isOpen() &&
          (collector.lines() === 0 || startedTokens.has(collector.digestIfEnded()))
        ) {
          collector.endLine()
        }
        break
      }
      const isPartial = signal?.aborted && collector.lines() < mostLines
      return collector.lines() === 0 || isPartial ? undefined : finish(collector.digest())
    },
    close,
  }
}

/** Undefined after the deadline, in milliseconds of `performance.now()`. */
async function before<Value>(deadline: number, value: Promise<Value>): Promise<Value | undefined> {
  if (deadline === Number.POSITIVE_INFINITY) return value
  const remaining = deadline - performance.now()
  if (remaining <= 0) return undefined
  const ended = new AbortController()
  const late = sleep(remaining, undefined, { signal: ended.signal })
  return Promise.race([value, late]).finally(() => ended.abort())
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
    const error = length === undefined ? undefined : `the line has ${length} bytes; the maximum is ${maxLineBytes}`
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
