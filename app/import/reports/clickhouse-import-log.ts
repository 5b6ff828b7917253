import type { Database } from '../../../queries/clickhouse/database.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../../queries/sql/sql.ts'
import { findImportBatch, listImportBatches } from '../../../queries/tenants/list-import-batches.ts'
import type { ImportBatch, ImportLog } from './import-log.ts'

/** Writes one row of the table `import_log` for each step of a batch. */
export function clickHouseImportLog(database: Pick<Database, 'read' | 'insert'>, tenantId: string): ImportLog {
  async function record(batch: ImportBatch, state: 'started' | 'done', counts: { reports: number; stored: number }) {
    const step = {
      tenant_id: tenantId,
      previous_token: batch.previousToken,
      token: batch.token,
      hosts: batch.hosts,
      lines: batch.lines,
      imported_at: toClickHouseTime(new Date(batch.importedAt)),
      stored_from: toClickHouseTime(new Date(batch.storedFrom)),
      retention_days: batch.retentionDays,
      state,
      ...counts,
    }
    await insertRows(database, 'import_log', [step])
  }

  return {
    following: (previousToken) => database.read(listImportBatches(tenantId, previousToken)),
    find: (token, previousToken) => database.read(findImportBatch(tenantId, previousToken, token)),
    start: (batch) => record(batch, 'started', { reports: 0, stored: 0 }),
    finish: (batch, counts) => record(batch, 'done', counts),
  }
}
