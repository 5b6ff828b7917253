import { z } from 'zod'
import { rawPartAt } from '../groups/group-parts.ts'
import { groupsOf, latestOf, partsOfGroups } from '../groups/groups-of.ts'
import type { Query } from '../query.ts'
import { rowBigSum } from '../rows.ts'
import { type Sql, sql } from '../sql.ts'
import { type BrowserChangeQuestion, browserChangeConditions, browserChangeKey } from './browser-changes.ts'
import type { BrowserChangeEntry } from './list-browser-changes.ts'

const row = z.object({ key: rowBigSum, lineNumber: z.int().nullable(), message: z.string() })

const measures = {
  lineNumber: { ...latestOf(sql`line_number`), whole: (ofParts: Sql) => sql`nullIf(any(${ofParts}), 0)` },
  message: latestOf(sql`message`),
}

/** What the latest report of each of some browser changes says, and the line it says it of. No query where there are none. */
export function listBrowserChangeMessages(
  question: BrowserChangeQuestion,
  entries: readonly Pick<BrowserChangeEntry, 'key' | 'lastSeen'>[],
): Query<z.infer<typeof row>>[] {
  if (entries.length === 0) return []
  const moments = entries.map(({ lastSeen }) => new Date(lastSeen))
  const reports = rawPartAt(question.tenantId, moments, browserChangeConditions(question))
  const statement = groupsOf(partsOfGroups([reports], browserChangeKey, entries), browserChangeKey, measures)
  return [{ name: 'listBrowserChangeMessages', statement, row }]
}
