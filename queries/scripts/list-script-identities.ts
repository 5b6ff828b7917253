import { z } from 'zod'
import { libraryIdentity } from '../../schema/responses/script.ts'
import type { Query } from '../sql/query.ts'
import { sql } from '../sql/sql.ts'
import { type InventoryFilter, inventoriedHashes } from './script-inventory.ts'

const row = libraryIdentity.extend({ hash: z.string() }).transform(({ hash, ...identity }) => ({ hash, identity }))

export function listScriptIdentities(filter: InventoryFilter): Query<z.infer<typeof row>> {
  return {
    name: 'listScriptIdentities',
    statement: sql`
      SELECT id AS hash, name, release AS version, path, catalog
      FROM library_files FINAL
      WHERE id IN ${inventoriedHashes(filter)}`,
    row,
  }
}
