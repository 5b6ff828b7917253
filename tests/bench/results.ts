import { z } from 'zod'

const timing = z.object({
  /** Milliseconds. */
  p50: z.number(),
  p95: z.number(),
  /** Mean CPU time of the processes that answered, on all cores. */
  cpu: z.number(),
  /** Medians; 0 where the contestant does not tell. */
  rowsRead: z.number(),
  bytesRead: z.number(),
})

/** What one contestant took for one question. */
export type Timing = z.infer<typeof timing>

const questionResult = z.object({
  name: z.string(),
  status: z.enum(['measured', 'not served', 'different answers']),
  api: timing.optional(),
  plain: timing.optional(),
  duckDb: timing.optional(),
  /** Plain SQL's p50 by the API's. */
  plainRatio: z.number().optional(),
  duckDbRatio: z.number().optional(),
  missed: z.array(z.string()).optional(),
  note: z.string().optional(),
})

/** What came of one question. */
export type QuestionResult = z.input<typeof questionResult>

/** A run's JSON file. */
export const benchResults = z.object({
  rows: z.number(),
  at: z.iso.datetime(),
  machine: z.object({ cores: z.number(), memoryBytes: z.number(), node: z.string(), loadAverage: z.number() }),
  load: z.object({
    rowsPerSecond: z.number(),
    mergeSeconds: z.number(),
    /** Undefined where DuckDB was left out. */
    duckDbRowsPerSecond: z.number().optional(),
    duckDbBytes: z.number().optional(),
  }),
  tables: z.array(z.object({ table: z.string(), rows: z.number(), bytes: z.number(), parts: z.number() })),
  questions: z.array(questionResult),
})

export type BenchResults = z.infer<typeof benchResults>
