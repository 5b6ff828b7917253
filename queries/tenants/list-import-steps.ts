import { z } from 'zod'
import type { ImportStep } from '../../schema/rules/import-version.ts'
import type { Query } from '../sql/query.ts'
import { sql, uint, uuid } from '../sql/sql.ts'

const row = z.object({ token: z.string(), state: z.string(), recordedAt: z.string() })

/**
 * The last hour of the import log, in no order, with the latest two steps per token: a collector has thousands. It omits
 * the hosts of a batch, which can be a thousand.
 */
export function listImportSteps(tenantId: string, limit: number): Query<ImportStep> {
  return {
    name: 'listImportSteps',
    statement: sql`
      SELECT token, state, recorded_at AS recordedAt
      FROM import_log_by_time
      WHERE tenant_id = ${uuid(tenantId)} AND recorded_at > now64(3) - INTERVAL 1 HOUR
      ORDER BY recorded_at DESC
      LIMIT 2 BY token
      LIMIT ${uint(limit)}`,
    row,
    pool: 'lookup',
  }
}
