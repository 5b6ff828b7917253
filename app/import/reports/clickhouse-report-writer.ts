/** @module Writes reports to ClickHouse, each insert as one block under a deduplication token. */

import { Readable } from 'node:stream'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { isNamed } from '../../../queries/clickhouse/error-codes.ts'
import { name, render } from '../../../queries/sql/sql.ts'
import { longestInsertMs } from '../../../schema/durations.ts'
import { blockColumns } from './insert-block.ts'

export interface ReportWriter {
  /**
   * Inserts lines of JSONCompactEachRow. The same token again stores nothing twice, and completes an interrupted
   * insert. Only one insert per token runs at a time: another fails with a transient error, so that a retry waits for
   * it.
   * @param signal ends an insert in flight, of which some may be stored.
   * @param columns of the rows, as an earlier release can have written them.
   */
  write(rows: readonly Buffer[], token: string, signal?: AbortSignal, columns?: readonly string[]): Promise<void>
}

/**
 * More rows or bytes than any insert has, and the maximum that ClickHouse accepts without a warning. ClickHouse
 * deduplicates blocks, so an insert must be one block.
 */
const oneBlock = '4294967296'

export const reportInsertSettings = {
  async_insert: 0,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  input_format_parallel_parsing: 0,
  input_format_null_as_default: 0,
  // Sample rates are read back exactly to the last bit.
  precise_float_parsing: 1,
  max_insert_block_size: oneBlock,
  min_insert_block_size_rows: oneBlock,
  min_insert_block_size_bytes: oneBlock,
  // Views group by their table's key, so an insert has almost nothing to merge.
  optimize_on_insert: 0,
  max_insert_threads: '1',
  // A file can span more months or days than the default allows in one insert.
  max_partitions_per_insert_block: '0',
  max_execution_time: longestInsertMs / 1000,
  wait_end_of_query: 1,
} as const

/** Returns when the replicas of the shard have the same parts; throws if they do not within seconds. */
export type UntilInStep = (signal?: AbortSignal) => Promise<void>

const insertInto = (columns: readonly string[]) =>
  `INSERT INTO reports (${columns.map((column) => render(name(column)).text).join(', ')}) FORMAT JSONCompactEachRow`
const withoutQuorum = { insert_quorum: '0' } as const

/** @param untilInStep waits until replicas are in step; set on a cluster only. */
export function clickHouseReportWriter(database: Pick<Database, 'insert'>, untilInStep?: UntilInStep): ReportWriter {
  return {
    async write(rows, token, signal, columns = blockColumns) {
      const insert = (quorum?: typeof withoutQuorum) =>
        database.insert(insertInto(columns), Readable.from(rows, { objectMode: false }), {
          settings: { ...reportInsertSettings, insert_deduplication_token: token, ...quorum },
          signal,
          queryId: token,
        })
      try {
        await insert()
      } catch (error) {
        if (!(untilInStep && isNamed(error, 'UNKNOWN_STATUS_OF_INSERT'))) throw error
        const orThrow = () => Promise.reject(error)
        // A part whose replica was lost never reaches its quorum, because the new replica does not count.
        await untilInStep(signal).catch(orThrow)
        await insert(withoutQuorum)
        await untilInStep(signal).catch(orThrow)
      }
    },
  }
}
