/** @module Imports records batch by batch; a stored record is replaced, so that a repeated file changes nothing. */

import { isUtf8 } from 'node:buffer'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { withRetry } from '../../program/with-retry.ts'
import { isLineError } from '../ndjson/line-error.ts'
import { type BatchLimits, type ByteSource, type ChainedBatch, linesOf, readBatches } from '../ndjson/read-batches.ts'
import { parseContent, type Rejection } from '../ndjson/rejected-line.ts'
import { checkForeignKeys, type ForeignKeyCheck } from './foreign-keys.ts'
import { checkImmutableFields } from './immutable-fields.ts'
import { withPreserved } from './preserved-column.ts'
import { readRecord } from './read-record.ts'
import type { RecordRow, RecordType } from './record-type.ts'

/** Counts of an import; `records` = stored + rejected. */
export interface RecordImportResult {
  readonly records: number
  /** Records in ClickHouse when the import ends, themselves or a later line of the same id. */
  readonly stored: number
  readonly rejected: number
}

export interface RecordImportOptions {
  readonly source: ByteSource
  readonly type: RecordType
  readonly database: Pick<Database, 'read' | 'insert'>
  /** Undefined only for global types. */
  readonly tenantId?: string | undefined
  /** Site of records without one, if the type has siteFromFlag. */
  readonly siteId?: string | undefined
  readonly onReject?: ((rejection: Rejection) => void | Promise<void>) | undefined
  readonly onProgress?: (progress: RecordImportResult & { readonly bytesRead: number }) => void
  readonly signal?: AbortSignal | undefined
  readonly limits?: BatchLimits
  /** Deduplication token of a source of one record: of imports with one token the first is stored. */
  readonly token?: string
}

/** About 10,000 small records per batch; JSON.parse takes up to 100 MB for the longest line. */
const defaultLimits: BatchLimits = { batchBytes: 4 * 1024 * 1024, maxLineBytes: 3 * 1024 * 1024 }

/**
 * Imports records, one per line, in constant memory. Throws the signal's reason, and ClickHouse's error after 43
 * seconds.
 */
export async function importRecords(options: RecordImportOptions): Promise<RecordImportResult> {
  const { source, type, database, tenantId, signal, onReject, onProgress } = options
  if ((tenantId === undefined) !== (type.isGlobal ?? false))
    throw new Error(`tenantId is ${type.isGlobal ? 'not allowed' : 'required'} for ${type.label}`)
  const retried = <Result>(task: () => Promise<Result>) => withRetry(task, signal)
  const reader = readBatches(source, options.limits ?? defaultLimits, signal)
  const tally = { records: 0, stored: 0, rejected: 0 }
  try {
    const checkForeign = await retried(() => checkForeignKeys(type, database, tenantId))
    for (;;) {
      signal?.throwIfAborted()
      const batch = await reader.next('', [])
      if (!batch) {
        signal?.throwIfAborted()
        return tally
      }
      const { accepted, rejections } = readLines(batch, options, checkForeign)
      tally.records += accepted.length + rejections.length
      const ids = [...new Set(accepted.map(({ row }) => row.id))]
      const checkImmutable = await retried(() => checkImmutableFields(type, database, tenantId, ids))
      const rows = new Map<string, RecordRow>()
      for (const { row, text, ...position } of accepted) {
        const checked = checkImmutable(row)
        if (isLineError(checked)) rejections.push({ ...position, reason: checked.reason, content: parseContent(text) })
        else if (checked && supersedes(type, row, rows.get(row.id))) {
          const merged = preserveEarlier(type, row, rows.get(row.id))
          rows.set(row.id, tenantId === undefined ? merged : { tenant_id: tenantId, ...merged })
        }
      }
      const read: Database['read'] = (query) => retried(() => database.read(query))
      for await (const some of withPreserved(type, read, tenantId, [...rows.values()])) {
        await retried(() => insertRows(database, type.table, some, options.token))
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

/** True if the row's version is not older than the previous row in the batch. */
function supersedes({ version }: RecordType, row: RecordRow, before: RecordRow | undefined): boolean {
  return !before || version === undefined || String(row[version]) >= String(before[version])
}

/** Fills the preserved column from an earlier line of the batch. */
function preserveEarlier({ preserved }: RecordType, row: RecordRow, before: RecordRow | undefined): RecordRow {
  if (preserved === undefined) return row
  return { ...row, [preserved.column]: row[preserved.column] ?? before?.[preserved.column] }
}

/** Checks each line individually; checks against stored rows follow per batch. */
function readLines(batch: ChainedBatch, { type, siteId }: RecordImportOptions, checkForeign: ForeignKeyCheck) {
  const accepted: (Pick<Rejection, 'line' | 'bytes'> & { row: RecordRow; text: string })[] = []
  const rejections: Rejection[] = []
  for (const { line, text, error, start, end } of linesOf(batch)) {
    const position = { line, bytes: end - start }
    if (error !== undefined) {
      rejections.push({ ...position, reason: error, content: {} })
      continue
    }
    if (!isUtf8(batch.bytes.subarray(start, end))) {
      // A record can be immutable, so replaced characters are no option; as text in a body it is rejected again.
      rejections.push({ ...position, reason: 'the line is not UTF-8', content: { body: text } })
      continue
    }
    const read = readRecord(type, text, siteId)
    if (read === undefined) continue
    const record = isLineError(read) ? read : (checkForeign(read) ?? read)
    if (isLineError(record)) rejections.push({ ...position, reason: record.reason, content: parseContent(text) })
    else accepted.push({ row: type.toRow(record, line), text, ...position })
  }
  return { accepted, rejections }
}
