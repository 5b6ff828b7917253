import {
  type CrashFilter,
  listCrashDetails,
  listCrashGroups,
  listCrashTexts,
  noCrashes,
} from '../../../queries/crashes/crash-groups.ts'
import { exactText, uuid } from '../../../schema/params.ts'
import { listResponse } from '../../../schema/responses/common.ts'
import { crashGroup, crashTotals } from '../../../schema/responses/crash.ts'
import { estimate } from '../../../schema/rules/weights.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { listPage } from '../../pipeline/page.ts'
import { windows } from '../../pipeline/windows.ts'
import { readGroups } from '../groups/read-groups.ts'
import { volumePosition } from '../groups/volume-position.ts'

const groupQueries = { list: listCrashGroups, texts: listCrashTexts, details: listCrashDetails, noTotals: noCrashes }

export const crashesList = endpoint({
  name: 'crashes.list',
  path: '/v1/crashes',
  summary: 'List crash groups',
  description:
    'Crashes by reason, page, frame and visibility, largest estimated volume first. The collector samples crashes: each stored report counts as 1 divided by the site’s sample rate. Only the first 10,000 groups can be paged; narrow the window to see others.',
  query: {
    siteId: uuid('Only crashes of this site').optional(),
    reason: exactText(128, 'Only crashes with exactly this reason').optional(),
  },
  window: windows.month,
  page: { ...listPage, position: volumePosition },
  cache: 'until-import',
  response: listResponse(crashGroup, { totals: crashTotals }),
  async handle({ caller, window, params, ...ctx }) {
    const filter: CrashFilter = { tenantId: caller.tenant.id, window, ...params }
    const { groups, totals, paging } = await readGroups(ctx, filter, groupQueries)
    return {
      data: groups.map((group) => ({
        reason: group.reason,
        page: group.page,
        isTopLevel: group.isTopLevel,
        visibilityState: group.visibilityState,
        browsers: group.browsers,
        stackExcerpt: group.stackExcerpt,
        reportCount: group.reportCount,
        estimatedReportCount: estimate(group),
        firstSeen: group.firstSeen,
        lastSeen: group.lastSeen,
      })),
      totals: {
        estimatedReportCount: estimate({ weight: totals.totalWeight }),
        reportCount: totals.totalReportCount,
        pageCount: totals.pageCount,
        groupCount: totals.groupCount,
      },
      ...paging,
    }
  },
})
