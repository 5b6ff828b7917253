import type { EngineRequest } from './engine-request.ts'
import { engineError } from './errors.ts'
import { cutsBehindLines, rowsAreObjects } from './formats.ts'
import type { Connection, Native } from './native.ts'
import type { RequestBody } from './request-body.ts'
import { markerOf } from './session.ts'
import { sqlString } from './sql-literal.ts'

/** A body up to this many bytes is one native insert, hence one block (given the block size settings). */
export const insertPieceBytes = 64 * 1024 * 1024

/** An INSERT up to its FORMAT, the first bytes of its data, and the rest of them. */
export type InsertData = { head: string; format: string; first: Buffer; body: RequestBody }

/** The written counters include what materialized views wrote. */
export type InsertSummary = { writtenRows: number; writtenBytes: number }

/**
 * Inserts `first` and what the body still holds under `head` (`INSERT ... FORMAT X`). A longer body is cut behind a
 * row and each piece gets the request's deduplication token with its number.
 */
export async function runInsert(
  native: Native,
  connection: Connection,
  request: EngineRequest,
  insert: InsertData,
): Promise<InsertSummary> {
  const token = request.settings.findLast(([name]) => name === 'insert_deduplication_token')?.[1]
  const summary = { writtenRows: 0, writtenBytes: 0 }
  let data = insert.first
  for (let piece = 0; ; piece++) {
    const last = data.length < insertPieceBytes
    if (!last && !cutsBehindLines(insert.format)) {
      throw engineError('queryTooLarge', `A body in format ${insert.format} may hold ${insertPieceBytes} bytes`)
    }
    const end = last ? data.length : lastRowEnd(data, insert.format)
    if (token !== undefined && !(last && piece === 0)) {
      const setting = `SET insert_deduplication_token = ${sqlString(`${token}#${piece}`)}`
      await native.QueryAsyncConnection(connection, setting, 'TSV')
    }
    if (end > 0) {
      const rows = data.subarray(0, end)
      const done = await native.InsertRawAsyncConnection(connection, markerOf(request) + insert.head, rows, false)
      summary.writtenRows += done.rowsWritten
      summary.writtenBytes += done.bytesWritten
    }
    if (last) return summary
    const rest = data.subarray(end)
    data = Buffer.concat([rest, await insert.body.take(insertPieceBytes - rest.length)])
  }
}

const lineEnd = 0x0a
const [openBrace, closeBrace] = [0x7b, 0x7d]

/** Where the last whole row ends. A JSON object may span lines, so there a row ends only between `}` and `{`. */
function lastRowEnd(data: Buffer, format: string): number {
  const objects = rowsAreObjects(format)
  for (let at = data.lastIndexOf(lineEnd); at > 0; at = data.lastIndexOf(lineEnd, at - 1)) {
    if (!objects || (data[at - 1] === closeBrace && (at + 1 === data.length || data[at + 1] === openBrace)))
      return at + 1
  }
  throw engineError('queryTooLarge', `No row ends within ${insertPieceBytes} bytes`)
}
