import { z } from 'zod'
import { recordedDecision } from '../../schema/responses/script-decision.ts'
import { decisionStatuses } from '../../schema/scripts.ts'
import type { Query } from '../sql/query.ts'
import { rowJson, rowTime } from '../sql/rows.ts'
import { sql, uuid } from '../sql/sql.ts'
import { type InventoryFilter, inInventory } from './script-inventory.ts'

const { id, status, integrityMode, pinnedHashes, justification, owner, reviewBy } = recordedDecision.shape

const scriptDecisionRow = z
  .object({
    url: z.string(),
    id,
    status,
    integrityMode,
    pinnedHashes: rowJson(pinnedHashes),
    justification,
    owner,
    reviewBy,
    name: z.string().nullable(),
    email: z.string(),
    decidedAt: rowTime,
  })
  .transform(({ url, name, email, decidedAt, ...decision }) => ({
    url,
    decision: { ...decision, decidedBy: { name, email }, decidedAt },
  }))

export type DecisionRow = z.infer<typeof scriptDecisionRow>

/** Oldest first, ties by id as text. */
export function listScriptDecisions(filter: InventoryFilter): Query<DecisionRow> {
  return {
    name: 'listScriptDecisions',
    statement: sql`
      SELECT script_url AS url, toString(id) AS id, status, nullIf(integrity_mode, '') AS integrityMode,
        pinned_hashes AS pinnedHashes, nullIf(justification, '') AS justification,
        nullIf(owner, '') AS owner, nullIf(review_by, '') AS reviewBy,
        nullIf(decided_name, '') AS name, decided_email AS email, decided_at AS decidedAt
      FROM script_decisions FINAL
      WHERE ${inInventory(filter)}
      ORDER BY decided_at, toString(script_decisions.id)`,
    row: scriptDecisionRow,
  }
}

const decidedScriptRow = z.object({ url: z.string(), status: z.enum(decisionStatuses) })

export type DecidedScript = z.infer<typeof decidedScriptRow>

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
    row: decidedScriptRow,
  }
}

const anyDecisionRow = z.object({ id: z.string() })

/** One row or none (Rule 6). */
export function findAnyDecision(tenantId: string): Query<z.infer<typeof anyDecisionRow>> {
  return {
    name: 'findAnyDecision',
    statement: sql`SELECT toString(id) AS id FROM script_decisions WHERE tenant_id = ${uuid(tenantId)} LIMIT 1`,
    row: anyDecisionRow,
    pool: 'lookup',
  }
}
