/** @module JSON files that `--json` writes and `--scaling` reads. */

import { z } from 'zod'

/** Latencies in milliseconds; row and byte counts are medians, 0 where the system reports none. */
const timing = z.object({
  p50: z.number(),
  p95: z.number(),
  /** Mean CPU time of the serving processes, on all cores. */
  cpu: z.number(),
  rowsRead: z.number(),
  bytesRead: z.number(),
})

export type Timing = z.infer<typeof timing>

const queryOutcome = z.object({
  name: z.string(),
  status: z.enum(['measured', 'different results']),
  api: timing.optional(),
  plain: timing.optional(),
  duckDb: timing.optional(),
  /** Plain SQL's p50 divided by the API's. */
  plainRatio: z.number().optional(),
  duckDbRatio: z.number().optional(),
  missed: z.array(z.string()).optional(),
  note: z.string().optional(),
})

export type QueryOutcome = z.input<typeof queryOutcome>

export const benchResults = z.object({
  rows: z.number(),
  at: z.iso.datetime(),
  machine: z.object({ cores: z.number(), memoryBytes: z.number(), node: z.string(), loadAverage: z.number() }),
  load: z.object({
    rowsPerSecond: z.number(),
    mergeSeconds: z.number(),
    /** Undefined without DuckDB. */
    duckDbRowsPerSecond: z.number().optional(),
    duckDbBytes: z.number().optional(),
  }),
  /** p50 in milliseconds of a request that reads no report. */
  floorMs: z.number().optional(),
  tables: z.array(z.object({ table: z.string(), rows: z.number(), bytes: z.number(), parts: z.number() })),
  queries: z.array(queryOutcome),
})

export type BenchResults = z.infer<typeof benchResults>
