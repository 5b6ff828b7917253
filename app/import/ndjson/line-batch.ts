import { createHash, type Hash } from 'node:crypto'

/** Lines of a file that are imported together. */
export interface LineBatch {
  /** The lines, each with a line feed behind it. */
  readonly bytes: Buffer
  /** Where each line ends, its line feed excluded. */
  readonly ends: readonly number[]
  /** Lines that were too long to hold, by index, with their length in bytes; a stand-in is in `bytes`. */
  readonly overlong: ReadonlyMap<number, number>
}

/** Collects lines piece by piece. */
export interface LineCollector {
  append(piece: Buffer): void
  endLine(): void
  /** Whether a line is begun and not ended. */
  isOpen(): boolean
  lines(): number
  /** Bytes held. */
  size(): number
  /** Hexadecimal SHA-256 of the prefix and the lines that have ended: the same for CRLF and LF, with and without a last LF. */
  digest(): string
  /** The digest as it will be if the open line ends here. */
  digestEnded(): string
  /** The lines that have ended; valid until the next `restart`. */
  batch(): LineBatch
  /** Starts a batch, whose digest begins with the prefix; a line that is open is its first. */
  restart(prefix: string): void
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * @param longestLine bytes; a longer line is hashed as it passes, and not held.
 * @param usualBytes what a batch usually holds.
 */
export function collectLines(longestLine: number, usualBytes: number): LineCollector {
  let buffer = Buffer.allocUnsafeSlow(usualBytes)
  let used = 0
  let lineStart = 0
  let ends: number[] = []
  let overlong = new Map<number, number>()
  let passing: { length: number; hash: Hash } | undefined
  let open = false
  let digest = createHash('sha256')
  let digested = 0

  function hold(piece: Buffer): void {
    if (used + piece.length > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, used + piece.length))
      buffer.copy(larger, 0, 0, used)
      buffer = larger
    }
    used += piece.copy(buffer, used)
  }

  /** Where the open line ends: a carriage return before its line feed is not part of it. */
  function lineEnd(): number {
    return used > lineStart && buffer[used - 1] === carriageReturn ? used - 1 : used
  }

  /** The stand-in differs as the line does, and with it the batch's digest. */
  function standIn({ length, hash }: { length: number; hash: Hash }): Buffer {
    return Buffer.from(`a line of ${length} bytes with the SHA-256 ${hash.copy().digest('hex')}`)
  }

  return {
    append(piece) {
      open = true
      if (!passing && used - lineStart + piece.length > longestLine) {
        passing = { length: used - lineStart, hash: createHash('sha256').update(buffer.subarray(lineStart, used)) }
        used = lineStart
      }
      if (!passing) return hold(piece)
      passing.length += piece.length
      passing.hash.update(piece)
    },
    endLine() {
      if (passing) {
        overlong.set(ends.length, passing.length)
        hold(standIn(passing))
        passing = undefined
      } else {
        used = lineEnd()
      }
      ends.push(used)
      hold(Buffer.of(lineFeed))
      lineStart = used
      open = false
    },
    isOpen: () => open,
    lines: () => ends.length,
    size: () => used,
    digest() {
      digest.update(buffer.subarray(digested, lineStart))
      digested = lineStart
      return digest.copy().digest('hex')
    },
    digestEnded() {
      const line = passing ? standIn(passing) : buffer.subarray(lineStart, lineEnd())
      const before = digest.copy().update(buffer.subarray(digested, lineStart))
      return before.update(line).update('\n').digest('hex')
    },
    batch: () => ({ bytes: buffer.subarray(0, lineStart), ends, overlong }),
    restart(prefix) {
      buffer.copyWithin(0, lineStart, used)
      used -= lineStart
      lineStart = 0
      ends = []
      overlong = new Map()
      digest = createHash('sha256').update(prefix)
      digested = 0
    },
  }
}
