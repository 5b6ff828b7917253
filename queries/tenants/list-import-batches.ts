import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql, text, uuid } from '../sql/sql.ts'

const batchRow = z.object({ token: z.string(), lines: rowCount })

/** Batches that follow a token; of every file of the tenant for a file's first batch. */
export function listImportBatches(tenantId: string, previousToken: string): Query<z.infer<typeof batchRow>> {
  return {
    name: 'listImportBatches',
    statement: sql`
      SELECT DISTINCT token, lines
      FROM import_log
      WHERE tenant_id = ${uuid(tenantId)} AND previous_token = ${text(previousToken)}`,
    row: batchRow,
  }
}

const recordedRow = z.object({
  hosts: z.array(z.string()),
  importedAt: z.string().transform((time) => Date.parse(time)),
  done: z.boolean(),
})

/** As the run that began the batch recorded it; one row or none. */
export function findImportBatch(
  tenantId: string,
  previousToken: string,
  token: string,
): Query<z.output<typeof recordedRow>> {
  return {
    name: 'findImportBatch',
    statement: sql`
      SELECT argMin(b.hosts, b.recorded_at) AS hosts, argMin(b.imported_at, b.recorded_at) AS importedAt,
        (max(b.state = 'done'))::Bool AS done
      FROM import_log AS b
      WHERE tenant_id = ${uuid(tenantId)} AND previous_token = ${text(previousToken)} AND token = ${text(token)}
      GROUP BY token`,
    row: recordedRow,
  }
}
