import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { sql, uuids } from '../sql/sql.ts'

const row = z.object({
  alertId: z.string(),
  destinationId: z.string(),
  count: rowCount,
  lastAt: rowTime,
  /** 1970 for any time. */
  retryAt: rowTime,
  /** Failure of the last attempt; '' if it was interrupted. */
  failure: z.string(),
})

export type Attempts = z.infer<typeof row>

export const listAttempts = (tenantIds: readonly string[], alertIds: readonly string[]): Query<Attempts> => ({
  name: 'listAttempts',
  statement: sql`
    SELECT alert_id AS alertId, destination_id AS destinationId, count() AS count, max(at) AS lastAt,
      argMax(retry_at, at) AS retryAt, argMax(alert_attempts.failure, at) AS failure
    FROM alert_attempts FINAL
    WHERE tenant_id IN ${uuids(tenantIds)} AND alert_id IN ${uuids(alertIds)}
    GROUP BY tenant_id, alert_id, destination_id`,
  row,
})
