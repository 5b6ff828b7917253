import { z } from 'zod'
import { decisionStatuses } from '../../schema/scripts.ts'
import type { Query } from '../sql/query.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({ url: z.string(), status: z.enum(decisionStatuses) })

export type DecidedScript = z.infer<typeof row>

/** The site's scripts with a decision, each with the latest. */
export function listDecidedScripts(tenantId: string, siteId: string): Query<DecidedScript> {
  return {
    name: 'listDecidedScripts',
    statement: sql`
      SELECT script_url AS url, argMax(status, (decided_at, toString(id))) AS status
      FROM script_decisions FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)}
      GROUP BY url
      ORDER BY url`,
    row,
  }
}
