import { type StoredReport, storedFieldNames, storedFieldRows } from '../../../schema/stored-report.ts'

/** The columns of a row, in its order. */
export const blockColumns: readonly string[] = storedFieldNames.map((field) => storedFieldRows[field].column)

/** Rows of one insert, as lines of ClickHouse's JSONCompactEachRow. */
export interface InsertBlock {
  readonly rows: number
  readonly chunks: readonly Buffer[]
}

/** A block ends with the row that reaches one of these. */
export interface BlockLimits {
  readonly rows: number
  /** Of JSON. */
  readonly bytes: number
}

/** Collects rows into blocks. */
export interface BlockCollector {
  /** Gives the block that this row has filled, if it has. */
  add(report: StoredReport): InsertBlock | undefined
  /** The rows since the last full block, if any. */
  rest(): InsertBlock | undefined
}

/** Lines become bytes in chunks of as many characters, outside the heap, where they take no time of its collector. */
const chunkCharacters = 256 * 1024

export function collectBlocks(limits: BlockLimits): BlockCollector {
  let lines = ''
  let chunks: Buffer[] = []
  let [rows, bytes] = [0, 0]

  function endChunk(): void {
    const chunk = Buffer.from(lines)
    chunks.push(chunk)
    bytes += chunk.length
    lines = ''
  }

  function rest(): InsertBlock | undefined {
    if (rows === 0) return undefined
    endChunk()
    const block = { rows, chunks }
    chunks = []
    rows = 0
    bytes = 0
    return block
  }

  return {
    add(report) {
      lines += `${JSON.stringify(storedFieldNames.map((field) => report[field]))}\n`
      rows++
      if (lines.length >= chunkCharacters) endChunk()
      return rows >= limits.rows || bytes >= limits.bytes ? rest() : undefined
    },
    rest,
  }
}
