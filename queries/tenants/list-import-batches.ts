import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql, text, uuid } from '../sql/sql.ts'

const batchRow = z.object({ token: z.string(), lines: rowCount })

/** Batches that follow a token; of every file of the tenant with the same first line for a file's first batch. */
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

const time = z.string().transform((text) => Date.parse(text))

const recordedRow = z.object({
  hosts: z.array(z.string()),
  importedAt: time,
  storedFrom: time,
  retentionDays: rowCount,
  done: z.boolean(),
})

/** Ranges of a batch as the runs that began them recorded them, the latest first. */
export function findImportBatch(
  tenantId: string,
  previousToken: string,
  token: string,
): Query<z.output<typeof recordedRow>> {
  return {
    name: 'findImportBatch',
    statement: sql`
      SELECT argMin(b.hosts, b.recorded_at) AS hosts, argMin(b.imported_at, b.recorded_at) AS importedAt,
        b.stored_from AS storedFrom, argMin(b.retention_days, b.recorded_at) AS retentionDays,
        (max(b.state = 'done'))::Bool AS done
      FROM import_log AS b
      WHERE tenant_id = ${uuid(tenantId)} AND previous_token = ${text(previousToken)} AND token = ${text(token)}
      GROUP BY storedFrom
      ORDER BY storedFrom DESC`,
    row: recordedRow,
  }
}
