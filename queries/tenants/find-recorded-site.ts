import { z } from 'zod'
import type { SiteRef } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({ name: z.string(), createdAt: rowTime })

/** One row or none. */
export const findRecordedSite = ({ tenantId, siteId }: SiteRef): Query<z.infer<typeof row>> => ({
  name: 'findRecordedSite',
  statement: sql`
    SELECT name, created_at AS createdAt
    FROM sites FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND id = ${uuid(siteId)}`,
  row,
  pool: 'lookup',
})
