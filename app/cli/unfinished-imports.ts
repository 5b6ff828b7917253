import { unfinishedTenants } from '../../clickhouse/rollups/unfinished-tenants.ts'
import type { Database } from '../../queries/clickhouse/client.ts'
import type { Context } from './context.ts'

/**
 * Throws an Error of one line while an import runs or stays cut off: a batch that is sent again after a rebuild is
 * recognised by the raw table, but not by the rollups, which would count it twice.
 */
export async function requireFinishedImports(database: Database): Promise<void> {
  const tenants = await unfinishedTenants(database)
  if (tenants === '') return
  throw new Error(
    `An import of tenant ${tenants} is running or was cut off: let it end, or run it again, before rebuilding; --force rebuilds all the same`,
  )
}

/** Says what explains differences that nobody need rebuild for. */
export async function warnAboutUnfinishedImports(context: Context, database: Database): Promise<void> {
  const tenants = await unfinishedTenants(database)
  if (tenants === '') return
  context.say(`An import of tenant ${tenants} is running or was cut off: run it again, which completes the rollups`)
}
