import { z } from 'zod'
import { clockToleranceMs, moveHoldMs, storingHoldMs } from '../../schema/durations.ts'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql, text, uint, uuid } from '../sql/sql.ts'

/** Token of a move's steps in the import log. */
export const moveToken = 'move'

const row = z.object({ watermark: rowCount })

/**
 * The time, in milliseconds by ClickHouse's clock, before which no report of the tenant can still be stored. A block
 * that began and has not ended holds it back.
 */
export const findWatermark = (tenantId: string): Query<z.infer<typeof row>> => ({
  name: 'findWatermark',
  statement: sql`
    SELECT toUInt64(toUnixTimestamp64Milli(
      least(now64(3), coalesce(minOrNull(arrayMin(held)), now64(3))) - toIntervalMillisecond(${uint(clockToleranceMs)})
    )) AS watermark
    FROM (
      SELECT
        maxIf(recorded_at, state = 'done') AS doneAt,
        arrayFilter(startedAt -> startedAt >= doneAt, groupArrayIf(recorded_at, state != 'done'
          AND recorded_at > now64(3) - toIntervalMillisecond(
            if(token = ${text(moveToken)}, ${uint(moveHoldMs)}, ${uint(storingHoldMs)})
          ))) AS held
      FROM import_log_by_time
      WHERE tenant_id = ${uuid(tenantId)} AND recorded_at > now64(3) - toIntervalMillisecond(${uint(moveHoldMs)})
      GROUP BY token
      HAVING notEmpty(held)
    )`,
  row,
  pool: 'lookup',
})
