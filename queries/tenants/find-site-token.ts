import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, text } from '../sql/sql.ts'

const row = z.object({ token: z.string() })

/** One row or none. It scans only the tokens, without FINAL and tenants, because anybody can guess tokens. */
export const findSiteToken = (token: string): Query<z.infer<typeof row>> => ({
  name: 'findSiteToken',
  statement: sql`SELECT token FROM sites WHERE token = ${text(token)} LIMIT 1`,
  row,
  pool: 'unknownToken',
})
