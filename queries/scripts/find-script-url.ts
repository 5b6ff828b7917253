import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, text } from '../sql/sql.ts'
import { type InventoryFilter, inventoriedUrls } from './script-inventory.ts'

const row = z.object({ url: z.string() })

/** Candidates: URLs whose `scriptId` has the same first 48 bits; the caller compares the rest. */
export function findScriptUrl(filter: InventoryFilter, id: string): Query<z.infer<typeof row>> {
  const namespace = text(filter.siteId.replaceAll('-', ''))
  const start = text(id.replaceAll('-', '').slice(0, 12))
  return {
    name: 'findScriptUrl',
    statement: sql`
      SELECT script_url AS url
      FROM ${inventoriedUrls(filter)}
      WHERE startsWith(lower(hex(SHA1(concat(unhex(${namespace}), script_url)))), ${start})`,
    row,
  }
}
