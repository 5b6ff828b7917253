import type { StoredReport } from '../../schema/stored-report.ts'
import { longestRow, writeRow } from './report-row.ts'

/** Rows of one insert, as TabSeparated. */
export interface RowPart {
  readonly rows: number
  readonly chunks: readonly Buffer[]
}

/** Collects rows into parts that each go in as one insert. */
export interface RowParts {
  /** Gives the part that this row has filled, if it has. */
  add(report: StoredReport): RowPart | undefined
  /** What is left, if anything; start anew afterwards. */
  rest(): RowPart | undefined
}

const chunkBytes = 4 * 1024 * 1024

/** @param partBytes a part ends with the row that reaches this size. */
export function collectRows(partBytes: number): RowParts {
  let chunks: Buffer[] = []
  let chunk = Buffer.alloc(0)
  let used = 0
  let bytes = 0
  let rows = 0

  function rest(): RowPart | undefined {
    if (rows === 0) return undefined
    const part = { rows, chunks: [...chunks, chunk.subarray(0, used)] }
    chunks = []
    chunk = Buffer.alloc(0)
    used = 0
    bytes = 0
    rows = 0
    return part
  }

  return {
    add(report) {
      if (chunk.length - used < longestRow) {
        if (used > 0) chunks.push(chunk.subarray(0, used))
        chunk = Buffer.allocUnsafeSlow(chunkBytes)
        used = 0
      }
      const end = writeRow(report, chunk, used)
      bytes += end - used
      used = end
      rows++
      return bytes >= partBytes ? rest() : undefined
    },
    rest,
  }
}
