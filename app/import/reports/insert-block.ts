/** @module Insert blocks of rows as JSONCompactEachRow, bounded in rows and bytes. */

import { type StoredReport, storedFieldNames, storedFieldRows } from '../../../schema/stored-report.ts'
import { type BlockPart, collectParts } from './block-parts.ts'

/** Columns in the order of a row. */
export const blockColumns: readonly string[] = storedFieldNames.map((field) => storedFieldRows[field].column)

export interface InsertBlock {
  readonly rows: number
  readonly chunks: readonly Buffer[]
  /** Chunks with a report that can add a value (`new-values.ts`). */
  readonly unknown: readonly Buffer[]
  readonly parts: readonly BlockPart[]
}

/** A block ends with the row that reaches one of these. */
export interface BlockLimits {
  readonly rows: number
  /** Bytes of JSON. */
  readonly bytes: number
}

/** Characters per chunk; Buffers are outside the heap, so the garbage collector does not copy them. */
const chunkCharacters = 256 * 1024

/** A row, with its line end. */
export const toInsertLine = (report: StoredReport): string =>
  `${JSON.stringify(storedFieldNames.map((field) => report[field]))}\n`

export function collectBlocks(limits: BlockLimits, isKnown: (report: StoredReport) => boolean = () => true) {
  let lines = ''
  let chunks: Buffer[] = []
  let unknown: Buffer[] = []
  let hasUnknown = false
  let [rows, bytes] = [0, 0]
  const parts = collectParts()

  function endChunk(): void {
    const chunk = Buffer.from(lines)
    chunks.push(chunk)
    if (hasUnknown) unknown.push(chunk)
    bytes += chunk.length
    lines = ''
    hasUnknown = false
  }

  function rest(): InsertBlock | undefined {
    if (rows === 0) return undefined
    endChunk()
    const block = { rows, chunks, unknown, parts: parts.rest() }
    chunks = []
    unknown = []
    rows = 0
    bytes = 0
    return block
  }

  return {
    /** Returns the block that the report completes. */
    add(report: StoredReport): InsertBlock | undefined {
      lines += toInsertLine(report)
      hasUnknown ||= !isKnown(report)
      parts.add(report)
      rows++
      if (lines.length >= chunkCharacters) endChunk()
      return rows >= limits.rows || bytes >= limits.bytes ? rest() : undefined
    },
    /** Returns the rows after the last complete block. */
    rest,
  }
}
