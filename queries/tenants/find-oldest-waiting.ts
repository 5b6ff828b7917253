import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'

const row = z.object({ oldestAt: rowTime.nullable(), seconds: rowCount, hosts: z.array(z.string()) })

/**
 * Time of receipt and age of the oldest report waiting in a collector's log, null for none, and the hosts. Collectors
 * without a record in the last hour do not count: their reports may be lost.
 */
export const findOldestWaiting: Query<z.infer<typeof row>> = {
  name: 'findOldestWaiting',
  statement: sql`
    SELECT min(oldest_at) AS oldestAt, toUInt64(greatest(0, ifNull(dateDiff('second', oldestAt, now64(3)), 0))) AS seconds,
      groupUniqArrayIf(host, oldest_at IS NOT NULL) AS hosts
    FROM collector_logs FINAL
    WHERE recorded_at > now64(3) - INTERVAL 1 HOUR`,
  row,
  pool: 'lookup',
}
