import { z } from 'zod'
import { countGroups } from '../../../queries/reports/count-reports.ts'
import { onlyRow } from '../../../queries/sql/rows.ts'
import { addition } from '../../../schema/additions.ts'
import { groupByParam, toGrouping } from '../../../schema/group-by.ts'
import { flag, integer } from '../../../schema/params.ts'
import { reportFilterAdditions, reportFilterParams, toReportFilter } from '../../../schema/report-filter.ts'
import { count, readWindow } from '../../../schema/responses/common.ts'
import { groupedRow } from '../../../schema/responses/report.ts'
import { toReadWindow } from '../../../schema/rules/time/window.ts'
import { trendPercent } from '../../../schema/rules/trend-percent.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { windows } from '../../pipeline/windows.ts'
import { rankReports } from './rank-reports.ts'

export const reportsGrouped = endpoint({
  name: 'reports.grouped',
  path: '/v1/reports/grouped',
  summary: 'Rank reports by one or two dimensions',
  description:
    'Largest groups first, with the change from the previous window of the same length. A ranking has no cursor. With `total=true` it includes the total number of groups.',
  query: {
    ...reportFilterParams,
    ...reportFilterAdditions,
    groupBy: groupByParam,
    limit: integer(1, 100, 'Maximum number of groups to return').default(20),
    total: addition(flag('If true, also return `groupCount`, the total number of groups in the window')),
  },
  parse: (query) => ({ ...toReportFilter(query), groupBy: toGrouping(query.reportType, query.groupBy) }),
  window: windows.weekByDefault,
  cache: 'until-import',
  response: z.object({
    groupBy: z.array(z.string()),
    data: z.array(groupedRow),
    groupCount: count.optional().meta({ description: 'With `total=true`: number of groups in the window.' }),
    window: readWindow.optional(),
  }),
  async handle({ caller, window, earlier, filter, params, hasAdditions, read, readAll }) {
    const ranking = { tenantId: caller.tenant.id, window, previous: earlier, ...filter, limit: params.limit }
    const [groups, total] = await Promise.all([
      rankReports(ranking, { read, readAll }),
      params.total === 'true' ? read(countGroups(ranking)) : undefined,
    ])
    const data = groups.map(({ previousCount, ...group }) => ({
      ...group,
      trendPercent: trendPercent(group.reportCount, previousCount),
    }))
    return {
      groupBy: [...filter.groupBy],
      data,
      ...(total && onlyRow(total)),
      ...(hasAdditions && { window: toReadWindow(window) }),
    }
  },
})
