import { z } from 'zod'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { commonValue, selectGroups } from '../groups/select-groups.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { anticipatedRemoval, type BrowserChangeFilter, browserChangeEntries } from './browser-change-groups.ts'

const row = z.object({ apiCount: rowCount, withRemovalDateCount: rowCount, soonestRemoval: rowTime.nullable() })

/** One row; an unknown API does not count. */
export function totalBrowserChanges(filter: BrowserChangeFilter): Query<z.infer<typeof row>> {
  const measures = { feature: commonValue(() => sql`feature`), anticipatedRemoval }
  const entries = selectGroups(keyedSlices(browserChangeEntries(filter)), measures)
  return {
    name: 'totalBrowserChanges',
    statement: sql`
      SELECT uniqExactIf(feature, feature != '') AS apiCount, count(anticipatedRemoval) AS withRemovalDateCount,
        min(anticipatedRemoval) AS soonestRemoval
      FROM (${entries})`,
    row,
  }
}
