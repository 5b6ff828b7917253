import { z } from 'zod'
import { sourceDecision } from '../../schema/responses/source-decision.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, uuid } from '../sql/sql.ts'

const { id, siteId, directive, source, status, reason } = sourceDecision.shape

const row = z
  .object({
    id,
    siteId,
    directive,
    source,
    status,
    reason,
    name: z.string().nullable(),
    email: z.string(),
    decidedAt: rowTime,
  })
  .transform(({ name, email, decidedAt, ...decision }) => ({ ...decision, decidedBy: { name, email }, decidedAt }))

/** Oldest first, ties by id as text: the latest of a directive and source counts. */
export const listSourceDecisions = (tenantId: string, siteId: string): Query<z.output<typeof row>> => ({
  name: 'listSourceDecisions',
  statement: sql`
    SELECT toString(id) AS id, toString(site_id) AS siteId, directive, source, status, reason,
      nullIf(decided_name, '') AS name, decided_email AS email, decided_at AS decidedAt
    FROM source_decisions FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)}
    ORDER BY decided_at, toString(source_decisions.id)`,
  row,
})
