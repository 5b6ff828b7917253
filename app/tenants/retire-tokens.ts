import type { Database } from '../../queries/clickhouse/database.ts'
import { render, type Sql, sql } from '../../queries/sql/sql.ts'

/**
 * Records that posts to the tokens of these sites get 410, before a rotation or a deletion; current tokens of a site
 * stay valid. Without FINAL, so that earlier unrecorded rotations are retired too.
 */
export async function retireTokens(database: Pick<Database, 'command'>, sites: Sql): Promise<void> {
  const { text, params } = render(sql`
    INSERT INTO retired_tokens (token_hash)
    SELECT DISTINCT lower(hex(SHA256(token)))
    FROM sites
    WHERE ${sites}`)
  await database.command(text, { params })
}
