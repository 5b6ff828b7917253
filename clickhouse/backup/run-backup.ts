import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { onlyRow, rowCount } from '../../queries/sql/rows.ts'
import { render, type Sql, sql, text } from '../../queries/sql/sql.ts'
import { literal } from './backup-target.ts'
import { explainFault } from './explain-fault.ts'

const pollMs = 250

const stateRow = z.object({ status: z.string(), error: z.string(), bytes: rowCount })

const findState = (id: string): Query<z.infer<typeof stateRow>> => ({
  name: 'findBackupState',
  statement: sql`
    SELECT toString(status) AS status, error, compressed_size AS bytes
    FROM system.backups
    WHERE id = ${text(id)}`,
  row: stateRow,
  pool: 'maintenance',
})

/**
 * Runs a BACKUP or RESTORE to its end without a time limit: a statement over HTTP has 10 minutes.
 * @param settings of the statement, such as `, structure_only = true`.
 * @returns bytes of the backup.
 */
export async function runBackup(
  database: Database,
  statement: Sql,
  settings = sql``,
  onPoll: () => void = () => undefined,
): Promise<number> {
  const id = crypto.randomUUID()
  const { text: rendered } = render(sql`${statement} SETTINGS id = ${literal(id)}${settings} ASYNC`)
  await database.command(rendered)
  for (;;) {
    const { status, error, bytes } = onlyRow(await database.read(findState(id)))
    if (isDone.has(status)) return bytes
    if (!isRunning.has(status)) throw new Error(explainFault(error))
    onPoll()
    await sleep(pollMs)
  }
}

const isDone = new Set(['BACKUP_CREATED', 'RESTORED'])
const isRunning = new Set(['CREATING_BACKUP', 'RESTORING'])

const findDatabase: Query<{ name: string }> = {
  name: 'findDatabase',
  statement: sql`SELECT currentDatabase() AS name`,
  row: z.object({ name: z.string() }),
}

export const findDatabaseName = async (database: Database): Promise<string> =>
  onlyRow(await database.read(findDatabase)).name
