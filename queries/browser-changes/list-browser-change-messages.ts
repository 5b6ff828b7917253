import { z } from 'zod'
import { latestReports } from '../groups/group-details.ts'
import { latestValue } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { browserChangeGroups } from './browser-change-groups.ts'

const row = z.object({ key: rowBigSum, lineNumber: z.int().nullable(), message: z.string() })

const measures = {
  lineNumber: { ...latestValue(sql`line_number`), merged: (values: Sql) => sql`nullIf(any(${values}), 0)` },
  message: latestValue(sql`message`),
}

/** What the latest report of each of some browser changes says, and the line it says it of. */
export const listBrowserChangeMessages = latestReports({
  name: 'listBrowserChangeMessages',
  kind: browserChangeGroups,
  receivedAt: 'lastSeen',
  measures,
  row,
})
