import type { StoredReport } from '../../schema/stored-report.ts'
import { type ReportBlock, reportBlock } from './report-block.ts'

/** Rows of one insert: one block in ClickHouse's Native format. */
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

/** A part ends with the row that reaches one of these. */
export interface PartLimits {
  /** Up to 65,535. */
  readonly rows: number
  /** Of text. */
  readonly bytes: number
}

/** Makes collectors of parts up to these limits. */
export function rowCollectors(limits: PartLimits): CollectRows {
  const unused: ReportBlock[] = []

  return () => {
    let block: ReportBlock | undefined

    function rest(): RowPart | undefined {
      const ended = block
      if (!ended) return undefined
      block = undefined
      return {
        rows: ended.rows(),
        chunks: ended.chunks(),
        release() {
          ended.clear()
          unused.push(ended)
        },
      }
    }

    return {
      add(report) {
        block ??= unused.pop() ?? reportBlock(limits.rows)
        block.add(report)
        return block.rows() >= limits.rows || block.textBytes() >= limits.bytes ? rest() : undefined
      },
      rest,
    }
  }
}
