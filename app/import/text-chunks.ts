import { varintBytes, writeVarint } from './varint.ts'

/** Texts one behind the other, each with its length before it, as ClickHouse's binary formats have them. */
export interface TextChunks {
  /** Adds one and returns the bytes it takes. */
  add(text: string): number
  /** The text added last, in memory of its own. */
  last(): string
  /** Everything added; valid until the next `clear`. */
  chunks(): Buffer[]
  /** Starts anew and lets others use the memory. */
  clear(): void
}

/** Room for two of the longest texts a report keeps. */
const chunkBytes = 256 * 1024

/** A text this short is faster copied here than by a call into the runtime. */
const shortText = 40

/** Chunks that nobody uses now. */
const unused: Buffer[] = []

export function textChunks(): TextChunks {
  let full: Buffer[] = []
  let chunk: Buffer = Buffer.alloc(0)
  let at = 0
  let lastAt = 0

  function makeRoom(bytes: number): void {
    if (chunk.length - at >= bytes) return
    closeChunk()
    const kept = bytes <= chunkBytes ? unused.pop() : undefined
    chunk = kept ?? Buffer.allocUnsafeSlow(Math.max(bytes, chunkBytes))
  }

  function closeChunk(): void {
    if (at > 0) full.push(chunk.subarray(0, at))
    chunk = Buffer.alloc(0)
    at = 0
  }

  /** Whether the text was short and ASCII. */
  function addShort(text: string): boolean {
    const { length } = text
    if (length > shortText) return false
    for (let index = 0; index < length; index++) {
      const unit = text.charCodeAt(index)
      if (unit > 0x7f) return false
      chunk[at + 1 + index] = unit
    }
    chunk[at] = length
    lastAt = at + 1
    at = lastAt + length
    return true
  }

  /** The length is in bytes, and known only when they are written; mostly there are as many as characters. */
  function addLong(text: string): void {
    const guess = at + varintBytes(text.length)
    const written = chunk.write(text, guess)
    const wanted = at + varintBytes(written)
    if (wanted !== guess) chunk.copyWithin(wanted, guess, guess + written)
    lastAt = writeVarint(written, chunk, at)
    at = lastAt + written
  }

  return {
    add(text) {
      makeRoom(text.length * 3 + 5)
      const before = at
      if (!addShort(text)) addLong(text)
      return at - before
    },
    last: () => chunk.toString('utf8', lastAt, at),
    chunks() {
      closeChunk()
      return full
    },
    clear() {
      closeChunk()
      for (const { buffer } of full) if (buffer.byteLength === chunkBytes) unused.push(Buffer.from(buffer))
      full = []
    },
  }
}
