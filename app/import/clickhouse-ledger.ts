import { z } from 'zod'
import type { Database } from '../../queries/clickhouse.ts'
import { insertRows } from '../../queries/insert-rows.ts'
import type { Query } from '../../queries/query.ts'
import { rowCount } from '../../queries/rows.ts'
import { sql, text, toClickHouseTime, uuid } from '../../queries/sql.ts'
import type { BatchPass, ImportLedger } from './import-ledger.ts'

const row = z.object({
  token: z.string(),
  hosts: z.array(z.string()),
  lines: rowCount,
  importedAt: z.string().transform((time) => Date.parse(time)),
  done: z.union([z.boolean(), z.int()]).transform(Boolean),
})

/** The passes that follow a token, in the order they were begun; a pass sent again keeps its first receipt time. */
function listFollowing(tenantId: string, previousToken: string): Query<z.output<typeof row>> {
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

/** The ledger in the table `import_batches`; every step is a row of its own. */
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
    await insertRows(database, 'import_batches', [step])
  }

  return {
    async following(previousToken) {
      const passes = await database.read(listFollowing(tenantId, previousToken))
      return passes.map((pass) => ({ ...pass, previousToken }))
    },
    start: (pass) => record(pass, 'started', { reports: 0, stored: 0 }),
    finish: (pass, counts) => record(pass, 'done', counts),
  }
}
