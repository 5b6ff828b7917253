import type { Logger } from 'pino'
import { lackingMigrations, OtherRelease } from '../../clickhouse/migrate.ts'
import { readMigrations } from '../../clickhouse/migration-files.ts'
import type { Database } from '../../queries/clickhouse/database.ts'

/** Logs what to do about a database of another release, which is served nevertheless. Never rejects. */
export async function warnOfRelease(database: Pick<Database, 'read'>, log: Logger): Promise<void> {
  try {
    const pending = await lackingMigrations(database, await readMigrations())
    if (pending.length > 0) log.warn(`The database lacks ${pending.join(', ')}: run "migrate" as the writer`)
  } catch (error) {
    // An outage is logged separately.
    if (error instanceof OtherRelease) log.warn(error.message)
  }
}
