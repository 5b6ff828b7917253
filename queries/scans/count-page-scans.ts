import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { at, type Sql, sql, uuid } from '../sql/sql.ts'

const row = z.object({ pageId: z.string(), complete: rowCount, failed: rowCount })

/** @param pages a SELECT of their ids. */
export const countPageScans = (tenantId: string, pages: Sql, since: Date): Query<z.infer<typeof row>> => ({
  name: 'countPageScans',
  statement: sql`
    SELECT page_id AS pageId, countIf(status = 'complete') AS complete, countIf(status = 'failed') AS failed
    FROM page_scans FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND page_id IN ${pages} AND scanned_at >= ${at(since)}
    GROUP BY page_id`,
  row,
})
