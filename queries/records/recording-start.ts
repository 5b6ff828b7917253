import { z } from 'zod'
import type { SiteRef } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, uuid } from '../sql/sql.ts'

const recordingStartRow = z.object({ startedAt: rowTime })

/** Earliest time for which a site is recorded, and its tenant; for records dated 1970, the site's creation. */
export const findRecordingStart = ({ tenantId, siteId }: SiteRef): Query<z.infer<typeof recordingStartRow>> => ({
  name: 'findRecordingStart',
  statement: sql`
    SELECT max(recordedAt) AS startedAt
    FROM (
      SELECT min(updated_at) AS recordedAt
      FROM tenants_history
      WHERE tenant_id = ${uuid(tenantId)}
      UNION ALL
      SELECT min(greatest(created_at, updated_at)) AS recordedAt
      FROM sites_history
      WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)})`,
  row: recordingStartRow,
  pool: 'lookup',
})

const historyStartRow = z.object({ startedAt: rowTime })

/** Start of the history of records: the time when its migration was done. */
export const findHistoryStart: Query<z.infer<typeof historyStartRow>> = {
  name: 'findHistoryStart',
  statement: sql`
    SELECT min(applied_at) AS startedAt
    FROM schema_migrations
    WHERE endsWith(name, '_evidence_history')
    HAVING count() > 0`,
  row: historyStartRow,
  pool: 'lookup',
}
