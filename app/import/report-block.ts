import { reportColumns, type StoredReport } from '../../schema/stored-report.ts'
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

const time = uint64("DateTime64(3, 'UTC')")

/** How each field is written. A word is what repeats from report to report. */
const makers: { readonly [Field in keyof StoredReport]: MakeColumn<StoredReport[Field]> } = {
  tenantId: uuid,
  siteId: uuid,
  reportType: word,
  receivedAt: time,
  id: uuid,
  ageMs: number('UInt32'),
  retentionDays: number('UInt16'),
  weight: uint64(),
  sampleRate: number('Float64'),
  browserName: word,
  browserVersion: word,
  osName: word,
  deviceType: word,
  documentUrl: text,
  documentHost: word,
  disposition: word,
  feature: word,
  directive: word,
  blockedHost: word,
  blockedUrl: text,
  blockedOrigin: word,
  destination: word,
  effectivePolicy: word,
  otherOrigin: word,
  sourceFile: text,
  lineNumber: number('UInt32'),
  columnNumber: number('UInt32'),
  message: text,
  sample: text,
  policy: text,
  referrer: text,
  statusCode: number('UInt16'),
  phase: word,
  method: word,
  protocol: word,
  serverIp: word,
  elapsedMs: nullable(number('UInt32')),
  requestUrl: text,
  anticipatedRemoval: nullable(time),
  isTopLevel: nullable(bool),
  visibilityState: word,
  stack: text,
  issueSubject: word,
  issueHost: word,
  noise: bool,
  requestOrigin: word,
  scriptUrl: text,
  scriptHash: text,
  reportedHash: text,
}

/** The columns of a block, in its order. */
export const blockColumns: readonly string[] = Object.values(reportColumns)

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
  const columns = (Object.keys(reportColumns) as (keyof StoredReport)[]).map((field) => {
    const column = makers[field](mostRows) as NativeColumn<unknown>
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
        ...named(reportColumns[field]),
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
