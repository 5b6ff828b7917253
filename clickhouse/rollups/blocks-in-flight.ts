import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { sql, text } from '../../queries/sql/sql.ts'
import { collectorTokenPrefix } from '../log-import-steps.ts'

const row = z.object({ collectors: rowCount, seconds: rowCount })

/** Covers the last hour, for which a step of the import log counts. */
const countOpenSteps: Query<z.infer<typeof row>> = {
  name: 'countOpenSteps',
  statement: sql`
    SELECT uniqExact(token) AS collectors, toUInt64(greatest(0, dateDiff('second', min(startedAt), now64(3)))) AS seconds
    FROM (
      SELECT token, maxIf(recorded_at, state = 'started') AS startedAt, maxIf(recorded_at, state = 'done') AS doneAt
      FROM import_log_by_time
      WHERE startsWith(token, ${text(collectorTokenPrefix)}) AND recorded_at > now64(3) - INTERVAL 1 HOUR
      GROUP BY tenant_id, token
      HAVING startedAt >= doneAt
    )`,
  row,
  pool: 'maintenance',
}

/**
 * Text about collectors with a block that ClickHouse may not have completely; undefined if there is none. A rebuild of
 * rollups during such a block counts it, and the block counts again when it is sent again.
 */
export async function findBlocksInFlight(shards: readonly Database[]): Promise<string | undefined> {
  const found = (await Promise.all(shards.map((shard) => shard.read(countOpenSteps)))).flat()
  const open = found.filter(({ collectors }) => collectors > 0)
  if (open.length === 0) return undefined
  const collectors = open.reduce((sum, one) => sum + one.collectors, 0)
  const seconds = Math.max(...open.map((one) => one.seconds))
  return `${collectors} ${collectors === 1 ? 'collector has a block' : 'collectors have blocks'} in flight, for up to ${seconds} s`
}
