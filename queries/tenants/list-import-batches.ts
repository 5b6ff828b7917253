import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql, text, uuid } from '../sql/sql.ts'

const batchRow = z.object({ token: z.string(), lines: rowCount })

/** The batches that follow a token: for a file's first batch one of every file that the tenant ever imported. */
export function listImportBatches(tenantId: string, previousToken: string): Query<z.infer<typeof batchRow>> {
  return {
    name: 'listImportBatches',
    statement: sql`
      SELECT DISTINCT token, lines FROM import_log
      WHERE tenant_id = ${uuid(tenantId)} AND previous_token = ${text(previousToken)}`,
    row: batchRow,
  }
}

const passRow = z.object({
  hosts: z.array(z.string()),
  importedAt: z.string().transform((time) => Date.parse(time)),
  done: z.boolean(),
})

/** The passes of a batch, in the order they were begun; a pass sent again keeps its first receipt time. */
export function listImportPasses(
  tenantId: string,
  previousToken: string,
  token: string,
): Query<z.output<typeof passRow>> {
  return {
    name: 'listImportPasses',
    statement: sql`
      SELECT hosts, argMin(b.imported_at, b.recorded_at) AS importedAt, (max(b.state = 'done'))::Bool AS done
      FROM import_log AS b
      WHERE tenant_id = ${uuid(tenantId)} AND previous_token = ${text(previousToken)} AND token = ${text(token)}
      GROUP BY hosts
      ORDER BY min(b.recorded_at), hosts`,
    row: passRow,
  }
}
