/** @module What `--json` writes. */

/** Latencies in milliseconds; row and byte counts are medians, 0 where the system reports none. */
export interface Timing {
  readonly p50: number
  readonly p95: number
  /** Mean CPU time of the serving processes, on all cores. */
  readonly cpu: number
  readonly rowsRead: number
  readonly bytesRead: number
}

export interface QueryOutcome {
  readonly name: string
  readonly status: 'measured' | 'different results'
  readonly api?: Timing
  readonly plain?: Timing
  readonly duckDb?: Timing
  /** Plain SQL's p50 divided by the API's. */
  readonly plainRatio?: number | undefined
  readonly duckDbRatio?: number | undefined
  readonly missed?: readonly string[]
  readonly note?: string
}

export interface BenchResults {
  readonly rows: number
  readonly at: string
  readonly machine: {
    readonly cores: number
    readonly memoryBytes: number
    readonly node: string
    readonly loadAverage: number
  }
  readonly load: {
    readonly rowsPerSecond: number
    readonly mergeSeconds: number
    /** Undefined without DuckDB. */
    readonly duckDbRowsPerSecond?: number | undefined
    readonly duckDbBytes?: number | undefined
  }
  /** p50 in milliseconds of a request that reads no report. */
  readonly floorMs?: number
  readonly tables: readonly {
    readonly table: string
    readonly rows: number
    readonly bytes: number
    readonly parts: number
  }[]
  readonly queries: readonly QueryOutcome[]
}
