import { readRecord } from '../../app/import/read-record.ts'
import type { RecordType } from '../../app/import/record-type.ts'
import { isRefusal } from '../../app/import/refusal.ts'

/** Why a line is refused, a record or its text; undefined where it is read. */
export function recordRefusal(type: RecordType, record: object | string, siteId?: string): string | undefined {
  const read = readRecord(type, typeof record === 'string' ? record : JSON.stringify(record), siteId)
  return isRefusal(read) ? read.reason : undefined
}
