import { z } from 'zod'
import { scriptDecision } from '../../schema/responses/script.ts'
import type { Query } from '../sql/query.ts'
import { rowJson, rowTime } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { type InventoryFilter, inInventory } from './script-inventory.ts'

const { id, status, integrityMode, pinnedHashes, justification } = scriptDecision.shape

const row = z
  .object({
    url: z.string(),
    id,
    status,
    integrityMode,
    pinnedHashes: rowJson(pinnedHashes),
    justification,
    name: z.string().nullable(),
    email: z.string(),
    decidedAt: rowTime,
  })
  .transform(({ url, name, email, decidedAt, ...decision }) => ({
    url,
    decision: { ...decision, decidedBy: { name, email }, decidedAt },
  }))

export type DecisionRow = z.infer<typeof row>

/** Oldest first, ties by id as text. */
export function listScriptDecisions(filter: InventoryFilter): Query<DecisionRow> {
  return {
    name: 'listScriptDecisions',
    statement: sql`
      SELECT script_url AS url, toString(id) AS id, status, nullIf(integrity_mode, '') AS integrityMode,
        pinned_hashes AS pinnedHashes, nullIf(justification, '') AS justification,
        nullIf(decided_name, '') AS name, decided_email AS email, decided_at AS decidedAt
      FROM script_decisions FINAL
      WHERE ${inInventory(filter)}
      ORDER BY decided_at, toString(script_decisions.id)`,
    row,
  }
}
