import { z } from 'zod'
import { scriptCapture } from '../../schema/responses/script.ts'
import type { Query } from '../sql/query.ts'
import { sql } from '../sql/sql.ts'
import { type InventoryFilter, inInventory } from './script-inventory.ts'

const row = scriptCapture
  .extend({ url: z.string(), hash: z.string() })
  .transform(({ url, hash, ...capture }) => ({ url, hash, capture }))

export type CaptureRow = z.infer<typeof row>

export function listScriptCaptures(filter: InventoryFilter): Query<CaptureRow> {
  return {
    name: 'listScriptCaptures',
    statement: sql`
      SELECT script_url AS url, script_hash AS hash, state, nullIf(reason, '') AS reason, source,
        fetched_url AS fetchedUrl, nullIf(final_url, '') AS finalUrl, nullIf(received_hash, '') AS receivedHash,
        size, reused
      FROM script_captures FINAL
      WHERE ${inInventory(filter)}`,
    row,
  }
}
