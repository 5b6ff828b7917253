import { Readable } from 'node:stream'
import type { Database } from '../../../queries/clickhouse/client.ts'
import type { ReportWriter } from './import-log.ts'
import { blockColumns } from './insert-block.ts'

/** More rows or bytes than an insert has, so that it is one block, which alone can be recognised when it comes again. */
const oneBlock = '10000000000'

/** Settings of an insert of reports: one block, which its deduplication token makes known in the table and every view. */
export const reportInsertSettings = {
  async_insert: 0,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  input_format_parallel_parsing: 0,
  input_format_null_as_default: 0,
  // A sample rate comes back as it was given, to the last bit.
  precise_float_parsing: 1,
  max_insert_block_size: oneBlock,
  min_insert_block_size_rows: oneBlock,
  min_insert_block_size_bytes: oneBlock,
  // Every view groups by its table's whole key, so there is nothing to merge before it is written.
  optimize_on_insert: 0,
  max_insert_threads: '1',
  // A file can reach back over more months or days than the default takes in one insert.
  max_partitions_per_insert_block: '0',
  wait_end_of_query: 1,
} as const

/** Writes to the table `reports`, or another of its shape. */
export function clickHouseReportWriter(database: Pick<Database, 'insert'>, table = 'reports'): ReportWriter {
  const statement = `INSERT INTO ${table} (${blockColumns.join(', ')}) FORMAT JSONCompactEachRow`
  return {
    write: (rows, token) =>
      database.insert(statement, Readable.from(rows, { objectMode: false }), {
        ...reportInsertSettings,
        insert_deduplication_token: token,
      }),
  }
}
