import { Readable } from 'node:stream'
import { importRecords, type RecordImportOptions } from './import-records.ts'

/** Imports records created by a program, like a file of them. Throws the reason of the first rejected record. */
export async function importObjects(
  options: Omit<RecordImportOptions, 'source' | 'onReject'>,
  records: readonly object[],
): Promise<void> {
  await importRecords({
    ...options,
    source: Readable.from(records.map((record) => `${JSON.stringify(record)}\n`)),
    onReject({ line, reason }) {
      throw new Error(`${options.type.label}, line ${line}: ${reason}`)
    },
  })
}
