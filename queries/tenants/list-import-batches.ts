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
  state: z.enum(['started', 'restoring', 'done']),
  boot: z.string(),
  recordedAt: time,
})

/** Ranges of a batch as recorded by the runs that began them, with their latest state; the latest range first. */
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
        argMax(b.state, (b.recorded_at, b.state = 'done')) AS state,
        argMax(b.boot, (b.recorded_at, b.state = 'done')) AS boot,
        max(b.recorded_at) AS recordedAt
      FROM import_log AS b
      WHERE tenant_id = ${uuid(tenantId)} AND previous_token = ${text(previousToken)} AND token = ${text(token)}
      GROUP BY storedFrom
      ORDER BY storedFrom DESC`,
    row: recordedRow,
  }
}

const bootRow = z.object({ boot: z.string(), lastAt: time })

/** Starts of ClickHouse's machine that the tenant's import log knows, and its last row of each. */
export function listImportBoots(tenantId: string): Query<z.output<typeof bootRow>> {
  return {
    name: 'listImportBoots',
    statement: sql`
      SELECT b.boot AS boot, max(b.recorded_at) AS lastAt
      FROM import_log AS b
      WHERE tenant_id = ${uuid(tenantId)}
      GROUP BY boot`,
    row: bootRow,
  }
}
