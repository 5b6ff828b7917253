import { z } from 'zod'
import type { SiteRef } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({ id: z.string(), recordedAt: rowTime })

/** Time when each decision about the site's scripts was first stored. */
export const listRecordingTimes = ({ tenantId, siteId }: SiteRef): Query<z.infer<typeof row>> => ({
  name: 'listRecordingTimes',
  statement: sql`
    SELECT toString(id) AS id, min(updated_at) AS recordedAt
    FROM script_decisions_history
    WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)}
    GROUP BY id`,
  row,
})
