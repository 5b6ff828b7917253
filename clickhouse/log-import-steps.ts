import type { Database } from '../queries/clickhouse/database.ts'
import { chunksOf } from '../queries/sql/rows.ts'
import { render, sql, text, uuids } from '../queries/sql/sql.ts'

/** Prefix of a collector's token. A collector has at most one insert block in flight. */
export const collectorTokenPrefix = 'collector '

/** Changes the tenants' import versions: nothing is cached between a token's 'started' and its 'done'. */
export type LogImportSteps = (
  tenantIds: readonly string[],
  token: string,
  state: 'started' | 'done',
  signal?: AbortSignal,
) => Promise<void>

/** Ids per statement; they are part of its URL. */
const mostIds = 100

/** Steps timed by ClickHouse's clock, because versions of a tenant's data are compared by it. */
export function logImportSteps(database: Pick<Database, 'command'>): LogImportSteps {
  return async (tenantIds, token, state, signal) => {
    for (const some of chunksOf(tenantIds, mostIds)) {
      const statement = render(sql`
        INSERT INTO import_log_by_time (tenant_id, recorded_at, token, state)
        SELECT arrayJoin(${uuids(some)}), now64(3), ${text(token)}, ${text(state)}`)
      await database.command(statement.text, { params: statement.params, signal })
    }
  }
}
