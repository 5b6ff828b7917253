import { textChunks } from './text-chunks.ts'

/** A column of one block in ClickHouse's Native format. Rows that nothing is put into hold the empty value. */
export interface NativeColumn<Value> {
  /** What the bytes are, as ClickHouse writes it. */
  readonly type: string
  readonly empty: unknown
  /**
   * Puts a value, which is not the empty one, into a row behind all that were put before. Returns the bytes it took
   * beside those every row has.
   */
  put(row: number, value: Value): number
  /** The column's bytes, for so many rows; valid until the next `clear`. */
  bytes(rows: number): Buffer[]
  clear(): void
}

/** Makes a column of blocks that have at most so many rows, up to 65,535. */
export type MakeColumn<Value> = (mostRows: number) => NativeColumn<Value>

const twoTo32 = 2 ** 32

/** Whole numbers from 0 to 2^53, and times in milliseconds. */
export function uint64(type = 'UInt64'): MakeColumn<number> {
  return (mostRows) => {
    const words = new Uint32Array(mostRows * 2)
    return {
      type,
      empty: 0,
      put(row, value) {
        words[row * 2] = value
        words[row * 2 + 1] = value / twoTo32
        return 0
      },
      bytes: (rows) => [bytesOf(words, rows * 2)],
      clear: () => words.fill(0),
    }
  }
}

const numberArrays = { UInt8: Uint8Array, UInt16: Uint16Array, UInt32: Uint32Array, Float64: Float64Array }

/** Numbers that fit the type. */
export function number(type: keyof typeof numberArrays): MakeColumn<number> {
  return (mostRows) => {
    const values = new numberArrays[type](mostRows)
    return {
      type,
      empty: 0,
      put(row, value) {
        values[row] = value
        return 0
      },
      bytes: (rows) => [bytesOf(values, rows)],
      clear: () => values.fill(0),
    }
  }
}

/** true or false. */
export const bool: MakeColumn<boolean> = (mostRows) => {
  const column = number('UInt8')(mostRows)
  return { ...column, type: 'Bool', empty: false, put: (row, value) => column.put(row, value ? 1 : 0) }
}

/** Another column's values, or null, which is the empty one. */
export function nullable<Value>(makeInner: MakeColumn<Value>): MakeColumn<Value | null> {
  return (mostRows) => {
    const inner = makeInner(mostRows)
    const isNull = new Uint8Array(mostRows).fill(1)
    return {
      type: `Nullable(${inner.type})`,
      empty: null,
      put(row, value) {
        isNull[row] = 0
        return inner.put(row, value as Value)
      },
      bytes: (rows) => [bytesOf(isNull, rows), ...inner.bytes(rows)],
      clear() {
        isNull.fill(1)
        inner.clear()
      },
    }
  }
}

/** Where each hexadecimal digit of a UUID's text goes: its halves are two integers. */
const uuidDigits = [16, 14, 11, 9, 6, 4, 2, 0, 34, 32, 30, 28, 26, 24, 21, 19]

/** UUIDs as text; never empty. */
export const uuid: MakeColumn<string> = (mostRows) => {
  const bytes = new Uint8Array(mostRows * 16)
  return {
    type: 'UUID',
    empty: '',
    put(row, text) {
      let at = row * 16
      for (const digit of uuidDigits) {
        bytes[at++] = (nibble(text.charCodeAt(digit)) << 4) | nibble(text.charCodeAt(digit + 1))
      }
      return 0
    },
    bytes: (rows) => [bytesOf(bytes, rows * 16)],
    clear: () => bytes.fill(0),
  }
}

/** Of a digit 0 to 9, a to f or A to F. */
const nibble = (code: number) => (code & 0xf) + (code >> 6) * 9

/** Any text. */
export const text: MakeColumn<string> = () => {
  const texts = textChunks()
  let nextRow = 0
  function fillUpTo(row: number): void {
    for (; nextRow < row; nextRow++) texts.add('')
  }
  return {
    type: 'String',
    empty: '',
    put(row, value) {
      fillUpTo(row)
      nextRow++
      return texts.add(value)
    },
    bytes(rows) {
      fillUpTo(rows)
      return texts.chunks()
    },
    clear() {
      texts.clear()
      nextRow = 0
    },
  }
}

/** A dictionary of the column's own, and indexes of 16 bits (ClickHouse, SerializationLowCardinality). */
const dictionaryVersion = 1n
const dictionaryFlags = 0x601n

/** Texts that repeat. */
export const word: MakeColumn<string> = (mostRows) => {
  const indexes = new Uint16Array(mostRows)
  const words = textChunks()
  const known = new Map<string, number>()
  return {
    type: 'LowCardinality(String)',
    empty: '',
    put(row, value) {
      const index = known.get(value)
      if (index !== undefined) {
        indexes[row] = index
        return 0
      }
      const bytes = words.add(value)
      indexes[row] = known.size + 1
      // A copy, because a slice would keep the whole of a long text alive.
      known.set(words.last(), known.size + 1)
      return bytes
    },
    bytes(rows) {
      // The first word is the empty one.
      const head = [dictionaryVersion, dictionaryFlags, BigInt(known.size + 1)]
      return [integers(head), Buffer.of(0), ...words.chunks(), integers([BigInt(rows)]), bytesOf(indexes, rows)]
    },
    clear() {
      indexes.fill(0)
      words.clear()
      known.clear()
    },
  }
}

const integers = (values: readonly bigint[]) => Buffer.from(BigUint64Array.from(values).buffer)

function bytesOf(values: NodeJS.TypedArray, count: number): Buffer {
  return Buffer.from(values.buffer, 0, count * values.BYTES_PER_ELEMENT)
}
