import { listSqlUsers, requirePolicies, requireSafeServer } from '../../tenants/sql-users.ts'
import type { Check } from './check.ts'
import { ofEachServer } from './of-each-server.ts'
import { unlessDenied } from './unless-denied.ts'

/** Row policies limit SQL users to their tenants. */
export const sqlUsers: Check = {
  name: 'sql-users',
  fix: 'upgrade ClickHouse, then store the policies again with "tenants sql-user rotate" for one of the users',
  async run({ config, database }) {
    if (!config().CLICKHOUSE_URL) return 'none: the embedded engine cannot store users'
    const access = await database()
    return unlessDenied(async () => {
      const users = await listSqlUsers(access)
      if (users.length === 0) return 'none'
      await ofEachServer(access, async (server) => {
        await requireSafeServer(server)
        await requirePolicies(server)
      })
      return `${users.length} with row policies`
    })
  },
}
