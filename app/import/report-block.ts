import { type KindValues, type StoredReport, storedFieldNames, storedFieldRows } from '../../schema/stored-report.ts'
import {
  bool,
  type MakeColumn,
  type NativeColumn,
  nullable,
  number,
  text,
  uint64,
  uuid,
  word,
} from './native-columns.ts'
import { varintBytes, writeVarint } from './varint.ts'

/** How each kind of column is written. */
const makers: { readonly [Kind in keyof KindValues]: MakeColumn<KindValues[Kind]> } = {
  uuid,
  word,
  text,
  bool,
  time: uint64("DateTime64(3, 'UTC')"),
  uint16: number('UInt16'),
  uint32: number('UInt32'),
  uint64: uint64(),
  float64: number('Float64'),
}

/** The columns of a block, in its order. */
export const blockColumns: readonly string[] = storedFieldNames.map((field) => storedFieldRows[field].column)

/** Reports as one block in ClickHouse's Native format, which an insert stores without parsing. */
export interface ReportBlock {
  add(report: StoredReport): void
  rows(): number
  /** Bytes of the texts it holds. */
  textBytes(): number
  /** The block; valid until the next `clear`. */
  chunks(): Buffer[]
  clear(): void
}

/** @param mostRows that a block can have, up to 65,535. */
export function reportBlock(mostRows: number): ReportBlock {
  const columns = storedFieldNames.map((field) => {
    const { kind, nullable: isNullable } = storedFieldRows[field]
    const maker = makers[kind] as MakeColumn<unknown>
    const column: NativeColumn<unknown> = (isNullable ? nullable(maker) : maker)(mostRows)
    return { field, column, empty: column.empty }
  })
  let rows = 0
  let textBytes = 0

  return {
    add(report) {
      for (const { field, column, empty } of columns) {
        const value = report[field]
        // Most fields of most reports are empty.
        if (value !== empty) textBytes += column.put(rows, value)
      }
      rows++
    },
    rows: () => rows,
    textBytes: () => textBytes,
    chunks: () => [
      varint(columns.length),
      varint(rows),
      ...columns.flatMap(({ field, column }) => [
        ...named(storedFieldRows[field].column),
        ...named(column.type),
        ...column.bytes(rows),
      ]),
    ],
    clear() {
      for (const { column } of columns) column.clear()
      rows = 0
      textBytes = 0
    },
  }
}

function named(name: string): Buffer[] {
  return [varint(name.length), Buffer.from(name)]
}

function varint(value: number): Buffer {
  const bytes = Buffer.alloc(varintBytes(value))
  writeVarint(value, bytes, 0)
  return bytes
}
