import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, texts } from '../sql/sql.ts'

const row = z.object({ tokenHash: z.string(), retiredAt: rowTime })

/** Retired tokens with the time of their retirement; a token names no tenant. */
export const listRetiredTokens = (tokenHashes: readonly string[]): Query<z.infer<typeof row>> => ({
  name: 'listRetiredTokens',
  statement: sql`
    SELECT token_hash AS tokenHash, min(retired_at) AS retiredAt
    FROM retired_tokens
    WHERE token_hash IN ${texts(tokenHashes)}
    GROUP BY token_hash`,
  row,
  pool: 'lookup',
})
