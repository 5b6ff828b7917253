import { z } from 'zod'
import { scannedWeeks } from '../../schema/rules/pci/integrity-method.ts'
import type { SiteRef } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { at, sql, uint } from '../sql/sql.ts'
import { countedTags } from './list-script-changes.ts'

const scannedWeek = z.object({
  pageId: z.string(),
  url: z.string(),
  /** Weeks before `now`, 0 for the last seven days, with the hashes of their scans. */
  found: z.array(z.tuple([z.int(), z.string()])),
})

/** Hashes of scripts on payment pages by week. */
export const listScannedWeeks = (site: SiteRef, now: Date): Query<z.infer<typeof scannedWeek>> => ({
  name: 'listScannedWeeks',
  statement: sql`
    SELECT page_id AS pageId, tag.1 AS url, groupUniqArray((week, tag.2)) AS found
    FROM (
      SELECT page_id, arrayJoin(tags) AS tag, intDiv(dateDiff('second', scanned_at, ${at(now)}), 7 * 86400) AS week
      FROM ${countedTags(site)} AS counted
      WHERE scanned_at <= ${at(now)} AND week < ${uint(scannedWeeks)}
    )
    WHERE tag.1 != '' AND tag.2 != '' AND NOT startsWith(tag.1, 'inline:')
    GROUP BY page_id, url`,
  row: scannedWeek,
})
