import { isUtf8 } from 'node:buffer'
import type { Database } from '../../../queries/clickhouse/client.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { isRefusal } from '../ndjson/line-error.ts'
import { type BatchLimits, type ByteSource, type ChainedBatch, linesOf, readBatches } from '../ndjson/read-batches.ts'
import { contentOf, type Rejection } from '../ndjson/rejected-line.ts'
import { withRetry } from '../with-retry.ts'
import { checkReferences, type ReferenceCheck } from './foreign-keys.ts'
import { checkFixed } from './immutable-fields.ts'
import { withKept } from './preserved-column.ts'
import { readRecord } from './read-record.ts'
import type { RecordRow, RecordType } from './record-type.ts'

/** What became of a file. `records` = stored + rejected. */
export interface RecordImportResult {
  /** Lines that are not blank. */
  readonly records: number
  /** Of them, those that are in the store when the import ends, or a later line with the same id. */
  readonly stored: number
  readonly rejected: number
}

export interface RecordImportOptions {
  readonly source: ByteSource
  readonly type: RecordType
  /** As a user that writes. */
  readonly database: Pick<Database, 'read' | 'insert'>
  /** The tenant the records are of; none where they are of everyone. */
  readonly tenantId?: string | undefined
  /** The site of records whose line names none, where the type takes one. */
  readonly siteId?: string | undefined
  /** Hears of each rejection, in the file's order. */
  readonly onReject?: ((rejection: Rejection) => void | Promise<void>) | undefined
  /** Hears of each batch as it is stored; bytes are of the source. */
  readonly onProgress?: (progress: RecordImportResult & { readonly bytesRead: number }) => void
  /** Ends the import between two batches; run again, it does the rest. */
  readonly signal?: AbortSignal | undefined
  readonly limits?: BatchLimits
}

/** Some ten thousand small records; and more than the largest one has, which JSON.parse reads in up to 100 MB. */
const defaultLimits: BatchLimits = { batchBytes: 4 * 1024 * 1024, longestLine: 3 * 1024 * 1024 }

/**
 * Imports a file of records, one a line, in memory that does not grow with it (decisions, Where data comes from). A
 * record that is stored already is replaced, so the same file twice changes nothing. Throws what the store says when it
 * cannot be written to for half a minute, and the signal's reason; what is done stays done.
 */
export async function importRecords(options: RecordImportOptions): Promise<RecordImportResult> {
  const { source, type, database, tenantId, signal, onReject, onProgress } = options
  if ((tenantId === undefined) !== (type.ofEveryone ?? false)) throw new Error(`Whose are these ${type.things}?`)
  const retried = <Result>(task: () => Promise<Result>) => withRetry(task, signal)
  const reader = readBatches(source, options.limits ?? defaultLimits)
  const tally = { records: 0, stored: 0, rejected: 0 }
  try {
    const refers = await retried(() => checkReferences(type, database, tenantId))
    for (;;) {
      signal?.throwIfAborted()
      const batch = await reader.next('', [])
      if (!batch) return tally
      const { accepted, rejections } = readLines(batch, options, refers)
      tally.records += accepted.length + rejections.length
      const ids = [...new Set(accepted.map(({ row }) => row.id))]
      const check = await retried(() => checkFixed(type, database, tenantId, ids))
      const rows = new Map<string, RecordRow>()
      for (const { row, line, text } of accepted) {
        const verdict = check(row)
        if (isRefusal(verdict)) rejections.push({ line, reason: verdict.reason, content: contentOf(text) })
        else if (verdict && stands(type, row, rows.get(row.id))) {
          const whole = keepEarlier(type, row, rows.get(row.id))
          rows.set(row.id, tenantId === undefined ? whole : { tenant_id: tenantId, ...whole })
        }
      }
      const read: Database['read'] = (query) => retried(() => database.read(query))
      for await (const some of withKept(type, read, tenantId, [...rows.values()])) {
        await retried(() => insertRows(database, type.table, some))
      }
      tally.rejected += rejections.length
      tally.stored = tally.records - tally.rejected
      for (const rejection of rejections.sort((a, b) => a.line - b.line)) await onReject?.(rejection)
      onProgress?.({ ...tally, bytesRead: batch.bytesRead })
    }
  } finally {
    await reader.close()
  }
}

/** Whether a row takes the place of one that was read before. */
function stands({ version }: RecordType, row: RecordRow, before: RecordRow | undefined): boolean {
  return !before || version === undefined || String(row[version]) >= String(before[version])
}

/** A row with what one before it said in the column that its type keeps. */
function keepEarlier({ kept }: RecordType, row: RecordRow, before: RecordRow | undefined): RecordRow {
  return kept === undefined ? row : { ...row, [kept.column]: row[kept.column] ?? before?.[kept.column] }
}

interface AcceptedLine {
  readonly row: RecordRow
  readonly line: number
  readonly text: string
}

/** What a batch's lines say, as far as they alone can tell. */
function readLines(batch: ChainedBatch, { type, siteId }: RecordImportOptions, refers: ReferenceCheck) {
  const accepted: AcceptedLine[] = []
  const rejections: Rejection[] = []
  for (const { line, text, refusal, start, end } of linesOf(batch)) {
    if (refusal !== undefined) {
      rejections.push({ line, reason: refusal, content: {} })
      continue
    }
    if (!isUtf8(batch.bytes.subarray(start, end))) {
      // As text in a body it is rejected again: unlike a browser's report it is somebody's own, and can be stored for good.
      rejections.push({ line, reason: 'the line is not UTF-8', content: { body: text } })
      continue
    }
    const read = readRecord(type, text, siteId)
    if (read === undefined) continue
    const record = isRefusal(read) ? read : (refers(read) ?? read)
    if (isRefusal(record)) rejections.push({ line, reason: record.reason, content: contentOf(text) })
    else accepted.push({ row: type.toRow(record, line), line, text })
  }
  return { accepted, rejections }
}
