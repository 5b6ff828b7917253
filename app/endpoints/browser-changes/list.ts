import { z } from 'zod'
import {
  type BrowserChangeEntry,
  type BrowserChangeFilter,
  type BrowserChangePosition,
  listBrowserChangeDetails,
  listBrowserChanges,
  listBrowserChangeTexts,
  noBrowserChanges,
} from '../../../queries/browser-changes/browser-changes.ts'
import { countChangesByBrowser } from '../../../queries/browser-changes/count-changes-by-browser.ts'
import { oneOf, uuid } from '../../../schema/params.ts'
import { browserChangeTypeNames } from '../../../schema/report-types.ts'
import { browserChange, browserChangeTotals } from '../../../schema/responses/browser-change.ts'
import { listResponse } from '../../../schema/responses/common.ts'
import { estimate, isSampled } from '../../../schema/rules/weights.ts'
import { cursorTime } from '../../pipeline/cursor.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { listPage, type SortKey } from '../../pipeline/page.ts'
import { windows } from '../../pipeline/windows.ts'
import { readGroups } from '../groups/read-groups.ts'
import { volumePosition } from '../groups/volume-position.ts'

const position: SortKey<BrowserChangeEntry, BrowserChangePosition> = {
  schema: z.object({ anticipatedRemoval: cursorTime.nullable() }).and(volumePosition.schema),
  from: ({ anticipatedRemoval, ...entry }) => ({
    anticipatedRemoval: anticipatedRemoval === null ? null : Date.parse(anticipatedRemoval),
    ...volumePosition.from(entry),
  }),
}

const groupQueries = {
  list: listBrowserChanges,
  texts: listBrowserChangeTexts,
  details: listBrowserChangeDetails,
  noTotals: noBrowserChanges,
}

export const browserChangesList = endpoint({
  name: 'browser-changes.list',
  path: '/v1/browser-changes',
  summary: 'List browser changes',
  description:
    'Deprecations and interventions by API, type and source file: sorted by anticipated removal (entries without a date last), then by volume. The totals cover every entry in the window. Only the first 10,000 entries can be paged; narrow the window to see others.',
  query: {
    siteId: uuid('Only reports of this site').optional(),
    reportType: oneOf(browserChangeTypeNames, 'Only this type (default: both)').optional(),
  },
  window: windows.month,
  page: { ...listPage, position },
  cache: 'until-import',
  response: listResponse(browserChange, { totals: browserChangeTotals }),
  async handle({ caller, window, params: { siteId, reportType }, ...ctx }) {
    const reportTypes = reportType ? [reportType] : browserChangeTypeNames
    const filter: BrowserChangeFilter = { tenantId: caller.tenant.id, window, siteId, reportTypes }
    const [{ groups: entries, totals, paging }, browsers] = await Promise.all([
      readGroups(ctx, filter, groupQueries),
      ctx.read(countChangesByBrowser(filter)),
    ])
    const all = { reportCount: totals.totalReportCount, weight: totals.totalWeight }
    return {
      data: entries.map((entry) => ({
        reportType: entry.reportType,
        feature: entry.feature,
        sourceFile: entry.sourceFile,
        lineNumber: entry.lineNumber,
        message: entry.message,
        anticipatedRemoval: entry.anticipatedRemoval,
        reportCount: entry.reportCount,
        estimatedReportCount: estimate(entry),
        sampled: isSampled(entry),
        pageCount: entry.pageCount,
        topPages: entry.topPages,
        browsers: entry.browsers,
        firstSeen: entry.firstSeen,
        lastSeen: entry.lastSeen,
      })),
      totals: {
        estimatedReportCount: estimate(all),
        reportCount: all.reportCount,
        apiCount: totals.apiCount,
        withRemovalDateCount: totals.withRemovalDateCount,
        soonestRemoval: totals.soonestRemoval,
        sampled: isSampled(all),
        browsers: browsers.map((tally) => ({ browser: tally.browser, estimatedReportCount: estimate(tally) })),
      },
      ...paging,
    }
  },
})
