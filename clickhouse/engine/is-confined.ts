import { resolve } from 'node:path'
import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { sql, text } from '../../queries/sql/sql.ts'
import { passwordPath } from './passwords.ts'

/** False if a user of the engine can read files outside of its folders: the system has no Landlock. */
export async function isConfined(reader: Database, dataDir: string): Promise<boolean> {
  const path = resolve(passwordPath(dataDir, 'writer'))
  const readPassword = {
    name: 'readPassword',
    statement: sql`SELECT length(file(${text(path)})) AS bytes`,
    row: z.object({ bytes: rowCount }),
  }
  return reader.read(readPassword).then(
    () => false,
    () => true,
  )
}

/** Printed at a start that is not confined. */
export const unconfined =
  'ClickHouse is not confined on this system: a password of it permits to read every file of this account, by file() in a SELECT (Linux 5.19 or newer confines it)'
