import type { Database } from '../../queries/clickhouse/client.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../queries/sql/sql.ts'
import { listImportBatches, listImportPasses } from '../../queries/tenants/list-import-batches.ts'
import type { BatchPass, ImportLedger } from './import-ledger.ts'

/** The ledger in the table `import_log`; every step is a row of its own. */
export function clickHouseLedger(database: Pick<Database, 'read' | 'insert'>, tenantId: string): ImportLedger {
  async function record(pass: BatchPass, state: 'started' | 'done', counts: { reports: number; stored: number }) {
    const step = {
      tenant_id: tenantId,
      previous_token: pass.previousToken,
      token: pass.token,
      hosts: pass.hosts,
      lines: pass.lines,
      imported_at: toClickHouseTime(new Date(pass.importedAt)),
      state,
      ...counts,
    }
    await insertRows(database, 'import_log', [step])
  }

  return {
    following: (previousToken) => database.read(listImportBatches(tenantId, previousToken)),
    async passesOf({ token, lines }, previousToken) {
      const passes = await database.read(listImportPasses(tenantId, previousToken, token))
      return passes.map((pass) => ({ ...pass, previousToken, token, lines }))
    },
    start: (pass) => record(pass, 'started', { reports: 0, stored: 0 }),
    finish: (pass, counts) => record(pass, 'done', counts),
  }
}
