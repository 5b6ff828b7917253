import { z } from 'zod'
import { type GroupMeasures, type Keyed, latestValue, queryLatest } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { type BrowserChangeFilter, browserChangeGroups } from './browser-change-groups.ts'

const row = z.object({ key: rowBigSum, lineNumber: z.int().nullable(), message: z.string() })

const measures: GroupMeasures = {
  lineNumber: { ...latestValue(sql`line_number`), merged: (values) => sql`nullIf(any(${values}), 0)` },
  message: latestValue(sql`message`),
}

export const listBrowserChangeMessages = (
  filter: BrowserChangeFilter,
  entries: readonly (Keyed & { readonly lastSeen: string })[],
) => queryLatest({ name: 'listBrowserChangeMessages', measures, row }, browserChangeGroups(filter), entries)
