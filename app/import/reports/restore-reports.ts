/** @module Stores reports of batches that ClickHouse lost: existing ones are found by id, independent of tokens. */

import { hash, randomUUID } from 'node:crypto'
import { recountDays } from '../../../clickhouse/rollups/recount-days.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { findStoredIds } from '../../../queries/reports/stored-ids.ts'
import { chunksOf } from '../../../queries/sql/rows.ts'
import { dayMs } from '../../../schema/durations.ts'
import { groupBy } from '../../../schema/rules/group-by.ts'
import type { ReportWriter } from './clickhouse-report-writer.ts'
import type { InsertBlock } from './insert-block.ts'
import { type InsertedRow, readInsertedRows, toInsertBytes } from './inserted-rows.ts'

export interface Restorer {
  /** Inserts those rows of the block that `reports` lacks, and returns their number. */
  insertMissing(block: InsertBlock): Promise<number>
  /** Makes the rollups of the days of these blocks equal to the reports. Throws if others insert all the while. */
  recount(): Promise<void>
}

interface RestorerOptions {
  /** Database of the tenant's rows; on a cluster, its shard. */
  readonly database: Pick<Database, 'read' | 'command'>
  readonly tenantId: string
  readonly writer: ReportWriter
  readonly signal?: AbortSignal | undefined
}

/** Ids per statement, 40 bytes each in its URL. */
const idsAtOnce = 2_000

export function clickHouseRestorer({ database, tenantId, writer, signal }: RestorerOptions): Restorer {
  const run = randomUUID()
  let days = new Set<number>()

  return {
    async insertMissing(block) {
      const rows = readInsertedRows(Buffer.concat(block.chunks)).toSorted((a, b) => a.receivedAt - b.receivedAt)
      for (const { receivedAt } of rows) days.add(Math.floor(receivedAt / dayMs) * dayMs)
      const missing: InsertedRow[] = []
      for (const some of chunksOf(rows, idsAtOnce)) {
        const [from, to] = [some[0] as InsertedRow, some.at(-1) as InsertedRow].map(
          ({ receivedAt }) => new Date(receivedAt),
        )
        const ids = some.map(({ id }) => id)
        const stored = await database.read(findStoredIds(tenantId, from as Date, to as Date, ids))
        const known = new Set(stored.map(({ id }) => id))
        missing.push(...some.filter(({ id }) => !known.has(id)))
      }
      if (missing.length === 0) return 0
      // Equal at each attempt, so that a retry waits for an insert in flight.
      const token = hash('sha256', `${run} ${rows[0]?.id}`, 'hex')
      await writer.write([toInsertBytes(missing)], token)
      return missing.length
    },
    async recount() {
      const months = groupBy(days, (day) => new Date(day).toISOString().slice(0, 'yyyy-mm'.length))
      const ranges = [...months.values()].map((ofMonth) => ({
        tenantIds: [tenantId],
        from: new Date(Math.min(...ofMonth)),
        to: new Date(Math.max(...ofMonth) + dayMs),
      }))
      const { unsettled } = await recountDays(database, ranges, signal)
      if (unsettled.length > 0) {
        throw new Error(`Reports were stored while counting ${unsettled.join(', ')}: run the same command again`)
      }
      days = new Set()
    },
  }
}
