import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../queries/clickhouse/database.ts'
import { countStoredRows, type StoredRowKey } from '../../queries/reports/count-stored-rows.ts'
import { storedFieldNames } from '../../schema/stored-report.ts'
import type { SpooledBlock } from './spool.ts'

/**
 * Ends an insert whose result is unknown, and returns whether any of its block is stored. Rejects where ClickHouse does
 * not respond: the block can be stored or not then.
 */
export type SettleInsert = (block: SpooledBlock, signal: AbortSignal) => Promise<boolean>

const pollMs = 250

/**
 * Every month of a block is in `reports` before a rollup has it, so without its ends nothing is stored.
 * @param lateMs time in which an insert that was sent may still begin, as after a freeze.
 */
export function settleInsert(database: Pick<Database, 'read' | 'killQuery'>, { lateMs = 5_000 } = {}): SettleInsert {
  return async ({ token, rows }, signal) => {
    if (rows.length === 0) return false
    const isStored = () => isBlockStored(database, rows, signal)
    const deadline = performance.now() + lateMs
    for (;;) {
      if (await isStored()) return true
      const wasRunning = await database.killQuery(token, signal)
      if (wasRunning || performance.now() > deadline) return isStored()
      await sleep(pollMs, undefined, { signal })
    }
  }
}

/** Whether `reports` has the block, or a month of it. @param rows of the block, at least one. */
export async function isBlockStored(
  database: Pick<Database, 'read'>,
  rows: Buffer,
  signal?: AbortSignal,
): Promise<boolean> {
  const [found] = await database.read(countStoredRows(endsOf(rows)), { signal })
  return (found?.rows ?? 0) > 0
}

const lineEnd = 0x0a

/** Its first and its last row. */
function endsOf(rows: Buffer): StoredRowKey[] {
  const lines = [rows.subarray(0, rows.indexOf(lineEnd)), rows.subarray(rows.lastIndexOf(lineEnd, -2) + 1, -1)]
  return lines.map((line) => {
    const values = JSON.parse(line.toString('utf8'))
    const read = (field: keyof StoredRowKey) => values[storedFieldNames.indexOf(field)]
    return { tenantId: read('tenantId'), receivedAt: read('receivedAt'), id: read('id') }
  })
}
