import { unfinishedTenants } from '../../clickhouse/rollups/unfinished-tenants.ts'
import type { Database } from '../../queries/clickhouse/client.ts'
import type { Context } from './context.ts'

/** Throws while an import is unfinished: rollups count a batch twice that is sent again after a rebuild. */
export async function requireFinishedImports(database: Database): Promise<void> {
  const tenants = await unfinishedTenants(database)
  if (tenants === '') return
  throw new Error(
    `An import of tenant ${tenants} is running or was cut off: let it end, or run it again, before rebuilding; --force rebuilds all the same`,
  )
}

export async function warnAboutUnfinishedImports(context: Context, database: Database): Promise<void> {
  const tenants = await unfinishedTenants(database)
  if (tenants === '') return
  context.log(`An import of tenant ${tenants} is running or was cut off: run it again, which completes the rollups`)
}
