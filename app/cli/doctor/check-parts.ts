import { z } from 'zod'
import { onlyRow } from '../../../queries/sql/only-row.ts'
import type { Query } from '../../../queries/sql/query.ts'
import { rowCount } from '../../../queries/sql/rows.ts'
import { sql } from '../../../queries/sql/sql.ts'
import type { Check } from './check.ts'
import { ofEachServer } from './of-each-server.ts'
import { unlessDenied } from './unless-denied.ts'

const row = z.object({ parts: rowCount, first: z.string() })

/** Parts that ClickHouse set aside at its start, as files of them are empty or missing. */
const countBrokenParts: Query<z.infer<typeof row>> = {
  name: 'countBrokenParts',
  statement: sql`
    SELECT count() AS parts, min(concat(table, ' ', name)) AS first
    FROM system.detached_parts
    WHERE startsWith(ifNull(reason, ''), 'broken') AND match(database, '^(default|reports)')`,
  row,
  pool: 'maintenance',
}

export const parts: Check = {
  name: 'parts',
  fix: 'once "rollups check" is clean, drop them: ALTER TABLE ... DROP DETACHED PART; of an import, import its file again first',
  async run({ database }) {
    return unlessDenied(async () => {
      await ofEachServer(await database(), async (server, url) => {
        const { parts, first } = onlyRow(await server.read(countBrokenParts))
        if (parts === 0) return
        throw new Error(`${parts} broken parts are detached at ${url}, as after a power cut, the first ${first}`)
      })
      return 'none is detached as broken'
    })
  },
}
