import type { Database } from '../../queries/clickhouse/database.ts'
import { listTenants } from '../../queries/tenants/tenants.ts'
import { entitlements } from '../../schema/plans.ts'

interface Selection {
  readonly database: Pick<Database, 'read'>
  readonly capturesOf?: ((tenantId: string) => boolean) | undefined
}

/** Selected tenants, all by default, whose plan includes copies of scripts and advisories. */
export async function listScriptTenants({ database, capturesOf = () => true }: Selection) {
  const tenants = await database.read(listTenants)
  return tenants.filter(
    ({ id, plan, overrides }) =>
      entitlements(plan, overrides).capabilities.includes('scripts.authorization') && capturesOf(id),
  )
}
