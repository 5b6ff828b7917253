import { z } from 'zod'
import { browserChangeTypeNames } from '../../schema/report-types.ts'
import { commonValue, type GroupMeasures, type Keyed, latestValue, queryLatest } from '../groups/select-groups.ts'
import { rowBigSum } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { type BrowserChangeFilter, browserChangeGroups } from './browser-change-groups.ts'

const row = z.object({
  key: rowBigSum,
  reportType: z.enum(browserChangeTypeNames),
  feature: z.string(),
  sourceFile: z.string().nullable(),
  lineNumber: z.int().nullable(),
  message: z.string(),
})

const measures: GroupMeasures = {
  reportType: commonValue(() => sql`report_type`),
  feature: commonValue(() => sql`feature`),
  sourceFile: commonValue(() => sql`nullIf(source_file, '')`),
  lineNumber: { ...latestValue(sql`line_number`), merged: (values) => sql`nullIf(any(${values}), 0)` },
  message: latestValue(sql`message`),
}

/** Texts of each entry's latest report. */
export const listBrowserChangeTexts = (
  filter: BrowserChangeFilter,
  entries: readonly (Keyed & { readonly lastSeen: string })[],
) => queryLatest({ name: 'listBrowserChangeTexts', measures, row }, browserChangeGroups(filter), entries)
