import { hostname } from 'node:os'
import type { Database } from '../../queries/clickhouse/database.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../queries/sql/sql.ts'

export interface ReportOldestOptions {
  readonly database: Pick<Database, 'insert'>
  /** Id of the log's folder, a UUID. */
  readonly id: string
  /** Time of receipt of the oldest report in the log, in milliseconds since the epoch; undefined for an empty log. */
  readonly oldestAt: () => number | undefined
  readonly everyMs?: number
  /** Age from which it is stored. */
  readonly behindMs?: number
}

/**
 * Stores the age of the oldest report in the log while the collector is behind, and once afterwards. A failed row is
 * replaced by the next.
 */
export function reportOldest({ database, id, oldestAt, everyMs = 5_000, behindMs = 10_000 }: ReportOldestOptions) {
  // An earlier process may have ended while behind.
  let wasBehind = true
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    const oldest = oldestAt()
    const isBehind = oldest !== undefined && Date.now() - oldest > behindMs
    if (!isBehind && !wasBehind) return
    const row = { id, host: hostname(), oldest_at: isBehind ? toClickHouseTime(new Date(oldest)) : null }
    await insertRows(database, 'collector_logs', [row])
    wasBehind = isBehind
  }

  function tick(): void {
    writing ??= write()
      .catch(() => undefined)
      .finally(() => {
        writing = undefined
      })
  }

  const timer = setInterval(tick, everyMs).unref()
  return {
    /** If the log is empty, stores a row that marks it as empty; otherwise the last row remains. */
    async close(): Promise<void> {
      clearInterval(timer)
      await writing
      if (oldestAt() !== undefined) return
      tick()
      await writing
    },
  }
}
