import type { Database } from '../../queries/clickhouse/client.ts'
import { render, sql, text, uuids } from '../../queries/sql/sql.ts'
import type { LogSteps } from './block-sender.ts'

/** Steps by ClickHouse's clock, which the version of a tenant's data is read by. */
export function logCollectorSteps(database: Pick<Database, 'command'>): LogSteps {
  return async (tenantIds, stepToken, state, signal) => {
    const statement = render(sql`
      INSERT INTO import_log_by_time (tenant_id, recorded_at, token, state)
      SELECT arrayJoin(${uuids(tenantIds)}), now64(3), ${text(stepToken)}, ${text(state)}`)
    await database.command(statement.text, { params: statement.params, signal })
  }
}
