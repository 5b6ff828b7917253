import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, text } from '../sql/sql.ts'

const row = z.object({ token: z.string() })

/** Of every tenant, as a report's address names none; also those that were rotated away until parts are merged. */
export const listSiteTokens: Query<z.infer<typeof row>> = {
  name: 'listSiteTokens',
  statement: sql`SELECT DISTINCT token FROM sites`,
  row,
  pool: 'lookup',
}

/** One row or none; a scan of the tokens alone, without FINAL and tenants, as anybody can guess tokens. */
export const findSiteToken = (token: string): Query<z.infer<typeof row>> => ({
  name: 'findSiteToken',
  statement: sql`SELECT token FROM sites WHERE token = ${text(token)} LIMIT 1`,
  row,
  pool: 'unknownToken',
})
