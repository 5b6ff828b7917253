import { z } from 'zod'
import type { Query } from '../query.ts'
import { rowCount } from '../rows.ts'
import { sql, text, uuid } from '../sql.ts'

const row = z.object({
  token: z.string(),
  hosts: z.array(z.string()),
  lines: rowCount,
  importedAt: z.string().transform((time) => Date.parse(time)),
  done: z.union([z.boolean(), z.int()]).transform(Boolean),
})

/** The passes that follow a token, in the order they were begun; a pass sent again keeps its first receipt time. */
export function listImportBatches(tenantId: string, previousToken: string): Query<z.output<typeof row>> {
  return {
    name: 'listImportBatches',
    statement: sql`
      SELECT token, hosts, any(b.lines) AS lines, argMin(b.imported_at, b.recorded_at) AS importedAt,
        max(b.state = 'done') AS done
      FROM import_batches AS b
      WHERE tenant_id = ${uuid(tenantId)} AND previous_token = ${text(previousToken)}
      GROUP BY token, hosts
      ORDER BY min(b.recorded_at), hosts`,
    row: row as unknown as z.ZodType<z.output<typeof row>>,
  }
}
