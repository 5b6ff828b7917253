import { z } from 'zod'
import type { SiteRef } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, text, uuid } from '../sql/sql.ts'

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

const findMigrationTime = (migration: string): Query<z.infer<typeof historyStartRow>> => ({
  name: 'findMigrationTime',
  statement: sql`
    SELECT min(applied_at) AS startedAt
    FROM schema_migrations
    WHERE endsWith(name, ${text(migration)})
    HAVING count() > 0`,
  row: historyStartRow,
  pool: 'lookup',
})

/** Start of the history of records: the time when its migration was done. */
export const findHistoryStart = findMigrationTime('_evidence_history')

/** Time since which each change of a script has an alert of its own. */
export const findScriptChangesStart = findMigrationTime('_delivered_scans')
