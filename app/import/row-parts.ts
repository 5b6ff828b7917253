import type { StoredReport } from '../../schema/stored-report.ts'
import { longestRow, writeRow } from './report-row.ts'

/** Rows of one insert, as TabSeparated. */
export interface RowPart {
  readonly rows: number
  readonly chunks: readonly Buffer[]
  /** Lets the memory be used again; the chunks must not be read afterwards. */
  release(): void
}

/** Collects rows into parts that each go in as one insert. */
export interface RowCollector {
  /** Gives the part that this row has filled, if it has. */
  add(report: StoredReport): RowPart | undefined
  /** What is left, if anything. */
  rest(): RowPart | undefined
}

/** Makes collectors that share the memory of parts already sent. */
export type CollectRows = () => RowCollector

const chunkBytes = 4 * 1024 * 1024

/** @param partBytes a part ends with the row that reaches this size. */
export function rowCollectors(partBytes: number): CollectRows {
  const unused: Buffer[] = []

  function collector(): RowCollector {
    let filled: Buffer[] = []
    let chunk: Buffer | undefined
    let used = 0
    let bytes = 0
    let rows = 0

    function closeChunk(): void {
      if (chunk) filled.push(chunk.subarray(0, used))
      chunk = undefined
      used = 0
    }

    function rest(): RowPart | undefined {
      if (rows === 0) return undefined
      closeChunk()
      const part = { rows, chunks: filled, release: () => part.chunks.splice(0).forEach(reuse) }
      filled = []
      bytes = 0
      rows = 0
      return part
    }

    return {
      add(report) {
        if (!chunk || chunk.length - used < longestRow) {
          closeChunk()
          chunk = unused.pop() ?? Buffer.allocUnsafeSlow(chunkBytes)
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

  function reuse(chunk: Buffer): void {
    unused.push(Buffer.from(chunk.buffer))
  }

  return collector
}
