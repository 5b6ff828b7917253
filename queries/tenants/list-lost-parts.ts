import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { at, type Sql, sql, uuid } from '../sql/sql.ts'

const time = z.string().transform((text) => Date.parse(text))

const row = z.object({
  tenantId: z.string(),
  siteId: z.string(),
  token: z.string(),
  storedFrom: time,
  doneAt: time,
  reports: rowCount,
  latestAt: time,
})

/** Reports of a site that a batch stored in one part, by the part's latest report. */
export type LostPart = z.output<typeof row>

/** Parts in the import log whose latest report is missing from `reports`, without expired ones. */
const lostParts = (name: string, condition: Sql): Query<LostPart> => ({
  name,
  statement: sql`
    WITH logged AS (
      SELECT tenant_id, token, stored_from, max(recorded_at) AS done_at, argMax(retention_days, recorded_at) AS days,
        arrayJoin(argMax(parts, recorded_at)) AS part
      FROM import_log
      WHERE state = 'done' AND ${condition}
      GROUP BY tenant_id, previous_token, token, stored_from
    )
    SELECT toString(tenant_id) AS tenantId, toString(part.site_id) AS siteId, token, stored_from AS storedFrom,
      done_at AS doneAt, toUInt64(part.reports) AS reports, part.received_at AS latestAt
    FROM logged
    WHERE part.received_at >= toStartOfDay(now('UTC')) - toIntervalDay(days)
      AND (tenant_id, part.report_type, part.received_at, part.id) NOT IN (
        SELECT tenant_id, report_type, received_at, id
        FROM reports
        WHERE (tenant_id, report_type, received_at, id) IN (
          SELECT tenant_id, part.report_type, part.received_at, part.id FROM logged
        )
      )
    ORDER BY doneAt, token, latestAt`,
  row,
  pool: 'maintenance',
})

/** @param since when the import log called them stored. */
export const listLostParts = (since: Date): Query<LostPart> =>
  lostParts('listLostParts', sql`recorded_at >= ${at(since)}`)

export const listLostPartsOfTenant = (tenantId: string): Query<LostPart> =>
  lostParts('listLostPartsOfTenant', sql`tenant_id = ${uuid(tenantId)}`)
