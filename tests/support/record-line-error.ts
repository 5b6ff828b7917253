import { isLineError } from '../../app/import/ndjson/line-error.ts'
import { readRecord } from '../../app/import/records/read-record.ts'
import type { RecordType } from '../../app/import/records/record-type.ts'

/** Why a line is refused, a record or its text; undefined if it is read. */
export function recordLineError(type: RecordType, record: object | string, siteId?: string): string | undefined {
  const read = readRecord(type, typeof record === 'string' ? record : JSON.stringify(record), siteId)
  return isLineError(read) ? read.reason : undefined
}
