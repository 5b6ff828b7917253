import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, uuids } from '../sql/sql.ts'

/** Those of the sites that are there. */
export function listSiteIds(siteIds: readonly string[]): Query<{ siteId: string }> {
  return {
    name: 'listSiteIds',
    statement: sql`SELECT DISTINCT toString(id) AS siteId FROM sites WHERE id IN ${uuids(siteIds)}`,
    row: z.object({ siteId: z.string() }),
    pool: 'lookup',
  }
}
