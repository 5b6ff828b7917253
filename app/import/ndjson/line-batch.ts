/**
 * @module Collects lines of a file in one buffer, and hashes them so that the same lines always give the same batch.
 */

import { createHash, type Hash } from 'node:crypto'

export interface LineBatch {
  /** Lines, each with a line feed at its end. */
  readonly bytes: Buffer
  /** Offset of each line's end, its line feed excluded. */
  readonly ends: readonly number[]
  /** Lengths in bytes of lines above the limit, by index; `bytes` holds a placeholder for each. */
  readonly overlong: ReadonlyMap<number, number>
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * @param maxLineBytes a longer line is hashed as it passes, and its bytes are dropped.
 * @param initialBytes first size of the buffer.
 */
export function collectLines(maxLineBytes: number, initialBytes: number) {
  let buffer = Buffer.allocUnsafeSlow(initialBytes)
  let used = 0
  let lineStart = 0
  let ends: number[] = []
  let overlong = new Map<number, number>()
  let overlongLine: { length: number; hash: Hash } | undefined
  let open = false
  let taken = false
  let digest = createHash('sha256')
  let digested = 0

  function store(chunk: Buffer): void {
    if (used + chunk.length > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, used + chunk.length))
      buffer.copy(larger, 0, 0, used)
      buffer = larger
    }
    used += chunk.copy(buffer, used)
  }

  /** End of the open line without a carriage return. */
  function lineEnd(): number {
    return used > lineStart && buffer[used - 1] === carriageReturn ? used - 1 : used
  }

  /** Holds the line's SHA-256, so different overlong lines give different batch digests. */
  function placeholder({ length, hash }: { length: number; hash: Hash }): Buffer {
    return Buffer.from(`a line of ${length} bytes with the SHA-256 ${hash.copy().digest('hex')}`)
  }

  return {
    append(chunk: Buffer): void {
      open = true
      if (!overlongLine && used - lineStart + chunk.length > maxLineBytes) {
        overlongLine = { length: used - lineStart, hash: createHash('sha256').update(buffer.subarray(lineStart, used)) }
        used = lineStart
      }
      if (overlongLine) {
        overlongLine.length += chunk.length
        overlongLine.hash.update(chunk)
      } else {
        store(chunk)
      }
    },
    endLine(): void {
      if (overlongLine) {
        overlong.set(ends.length, overlongLine.length)
        store(placeholder(overlongLine))
        overlongLine = undefined
      } else {
        used = lineEnd()
      }
      ends.push(used)
      store(Buffer.of(lineFeed))
      lineStart = used
      open = false
    },
    /** True between a line's first byte and its end. */
    isOpen: () => open,
    lines: () => ends.length,
    size: () => used,
    /** Hexadecimal SHA-256 of the prefix and the ended lines, equal for CRLF and LF and for a missing last LF. */
    digest(): string {
      digest.update(buffer.subarray(digested, lineStart))
      digested = lineStart
      return digest.copy().digest('hex')
    },
    /** Digest as if the open line ended here. */
    digestIfEnded(): string {
      const line = overlongLine ? placeholder(overlongLine) : buffer.subarray(lineStart, lineEnd())
      const before = digest.copy().update(buffer.subarray(digested, lineStart))
      return before.update(line).update('\n').digest('hex')
    },
    /** Ended lines; valid until the next `restart`. */
    batch(): LineBatch {
      taken = true
      return { bytes: buffer.subarray(0, lineStart), ends, overlong }
    },
    /** Starts a batch with the lines that no batch has; its digest begins with the prefix. */
    restart(prefix: string): void {
      if (taken) {
        buffer.copyWithin(0, lineStart, used)
        used -= lineStart
        lineStart = 0
        ends = []
        overlong = new Map()
        taken = false
      }
      digest = createHash('sha256').update(prefix)
      digested = 0
    },
  }
}
