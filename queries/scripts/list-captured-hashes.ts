import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, texts, uuid } from '../sql/sql.ts'

const row = z.object({ hash: z.string() })

/** Those of the hashes whose bytes a record says are held: of all tenants, or of one. */
export const listCapturedHashes = (hashes: readonly string[], tenantId?: string): Query<z.infer<typeof row>> => ({
  name: 'listCapturedHashes',
  statement: sql`
    SELECT DISTINCT script_hash AS hash
    FROM script_captures FINAL
    WHERE ${tenantId === undefined ? sql`true` : sql`tenant_id = ${uuid(tenantId)}`}
      AND state = 'captured' AND script_hash IN ${texts(hashes)}`,
  row,
})
