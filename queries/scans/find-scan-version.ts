import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({ rows: rowCount, updatedAt: rowTime })

/** Changes with every scan that is stored, and sometimes without one. */
export const findScanVersion = (tenantId: string): Query<z.infer<typeof row>> => ({
  name: 'findScanVersion',
  statement: sql`
    SELECT count() AS rows, max(updated_at) AS updatedAt
    FROM page_scans
    WHERE tenant_id = ${uuid(tenantId)}`,
  row,
})
