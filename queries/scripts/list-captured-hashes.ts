import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, texts, uuid } from '../sql/sql.ts'

const row = z.object({ hash: z.string() })

/** Hashes with a stored copy according to a record: of all tenants, or of one. */
export const listCapturedHashes = (hashes: readonly string[], tenantId?: string): Query<z.infer<typeof row>> => ({
  name: 'listCapturedHashes',
  statement: sql`
    SELECT DISTINCT script_hash AS hash
    FROM script_captures FINAL
    WHERE ${tenantId === undefined ? sql`true` : sql`tenant_id = ${uuid(tenantId)}`}
      AND state = 'captured' AND script_hash IN ${texts(hashes)}`,
  row,
})
