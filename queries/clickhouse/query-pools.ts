import { lookupTimeoutMs } from '../../schema/durations.ts'
import type { PoolName } from '../sql/query.ts'

/** A bulkhead: its reads wait for each other, and for no other pool's. */
export interface QueryPool {
  readonly maxConcurrent: number
  /** `maxConcurrent` by default. */
  readonly maxConcurrentPerTenant?: number
  /** Limit of a whole read including the network; ClickHouse ends the statement then too. */
  readonly timeoutMs: number
  readonly settings?: Readonly<Record<string, string>>
}

/** For statements that read few rows: a second thread and these two passes cost a tenth to a quarter of their time. */
export const fewRowsSettings = {
  max_threads: '1',
  optimize_move_to_prewhere: '0',
  optimize_use_projections: '0',
} as const

/** Bounds of the reader's profile (server/users.xml). */
const maxExportRows = 1e12
const maxExportBytes = 1e15

export type QueryPools = Readonly<Record<PoolName, QueryPool>>

export const queryPools = {
  query: { maxConcurrent: 24, maxConcurrentPerTenant: 12, timeoutMs: 10_000 },
  /** Streams of every report in a window, as slow as their readers; one thread, so that dashboards are not affected. */
  export: {
    maxConcurrent: 2,
    maxConcurrentPerTenant: 1,
    timeoutMs: 3_600_000,
    settings: {
      max_threads: '1',
      // Neither waits for dashboards nor makes people's statements wait for its hour (server/users.xml).
      priority: '0',
      max_block_size: '8192',
      max_memory_usage: '1000000000',
      // The sort of an export in the order of storing has a gigabyte for 500,000 reports.
      max_bytes_before_external_sort: '300000000',
      max_result_rows: String(maxExportRows),
      max_result_bytes: String(maxExportBytes),
      // Aliases repeat the names of columns, and conditions mean the columns.
      prefer_column_name_to_alias: '1',
      http_send_timeout: '120',
      format_csv_null_representation: '',
      // A row group is held in memory: of the default 512 MB a million reports exceed the limit above.
      output_format_parquet_row_group_size: '65536',
      output_format_parquet_row_group_size_bytes: '67108864',
    },
  },
  /** Every request waits for these, so that an outage is a 503 within 2 s. */
  lookup: { maxConcurrent: 8, timeoutMs: lookupTimeoutMs, settings: fewRowsSettings },
  /** Unknown API keys and site tokens, which anybody can send: guesses cannot fill the other pools. */
  unknownKey: { maxConcurrent: 4, timeoutMs: lookupTimeoutMs, settings: fewRowsSettings },
  /** Unknown site tokens, which anybody can send: one at a time, so that guesses use at most half a processor. */
  unknownToken: { maxConcurrent: 1, timeoutMs: lookupTimeoutMs, settings: fewRowsSettings },
  /** Long statements of the writer, for rollups and imports; their memory stays below 1 GB by spilling to disk. */
  maintenance: {
    maxConcurrent: 2,
    timeoutMs: 600_000,
    settings: { max_bytes_before_external_group_by: '1000000000', max_bytes_before_external_sort: '1000000000' },
  },
} as const satisfies QueryPools

export function poolSettings({ timeoutMs, settings }: QueryPool): Readonly<Record<string, string>> {
  return { ...settings, max_execution_time: String(timeoutMs / 1000) }
}
