import { isNamed } from '../../../queries/clickhouse/error-codes.ts'
import { listSqlUsers, missingPolicies, requireSafeServer, tablesOf } from '../../tenants/sql-users.ts'
import { type Check, FaultWithFix } from './check.ts'
import { ofEachServer } from './of-each-server.ts'

/** Row policies limit SQL users to their tenants. */
export const sqlUsers: Check = {
  name: 'sql-users',
  fix: 'run "tenants sql-user rotate" for one of the users, which stores the row policies again',
  async run({ config, database }) {
    if (!config().CLICKHOUSE_URL) return 'none: the embedded engine cannot store users'
    const access = await database()
    try {
      const users = await listSqlUsers(access)
      if (users.length === 0) return 'none'
      await ofEachServer(access, async (server, url) => {
        await requireSafeServer(server).catch((error: Error) => {
          throw new FaultWithFix(error.message, 'upgrade ClickHouse')
        })
        const missing = await missingPolicies(server)
        if (missing.length > 0) throw new Error(`${url} lacks the row policies of ${tablesOf(missing)}`)
      })
      return `${users.length} with row policies`
    } catch (error) {
      if (!isNamed(error, 'ACCESS_DENIED')) throw error
      return 'not checked: "tenants sql-user" needs the writer, and on every server clickhouse/server/users.xml of this release'
    }
  },
}
