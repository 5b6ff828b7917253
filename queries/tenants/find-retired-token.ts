import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, text } from '../sql/sql.ts'

const row = z.object({ token_hash: z.string() })

/** One row or none; a token names no tenant. It uses the pool of guesses, because anybody can send any token. */
export const findRetiredToken = (tokenHash: string): Query<z.infer<typeof row>> => ({
  name: 'findRetiredToken',
  statement: sql`
    SELECT token_hash
    FROM retired_tokens
    WHERE token_hash = ${text(tokenHash)}
    LIMIT 1`,
  row,
  pool: 'unknownToken',
})
