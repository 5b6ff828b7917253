import { z } from 'zod'
import { groupReports } from '../../../queries/reports/group-reports.ts'
import { addGroups, hasFewValues, rankFewValues } from '../../../queries/reports/rank-few-values.ts'
import { trendPercent } from '../../../queries/rules/trend.ts'
import { groupByParam, toGrouping } from '../../../schema/group-by.ts'
import { integer } from '../../../schema/params.ts'
import { reportFilterParams, toReportFilter } from '../../../schema/report-filter.ts'
import { groupedRow } from '../../../schema/responses/report.ts'
import { endpoint } from '../../pipeline/endpoint.ts'

export const reportsGrouped = endpoint({
  name: 'reports.grouped',
  path: '/v1/reports/grouped',
  summary: 'Rank reports by one or two dimensions',
  description:
    'The largest groups first, with the change against the window of equal length just before. A ranking has no cursor.',
  query: {
    ...reportFilterParams,
    groupBy: groupByParam,
    limit: integer(1, 100, 'How many groups to answer').default(20),
  },
  parse: (query) => ({ ...toReportFilter(query), groupBy: toGrouping(query.reportType, query.groupBy) }),
  window: { defaultDays: 7, maxDays: 31 },
  charges: ['key', 'tenant'],
  cache: 'until-import',
  response: z.object({ groupBy: z.array(z.string()), data: z.array(groupedRow) }),
  async handle({ caller, window, earlier, filter, params, read, readAll }) {
    const ranking = { tenantId: caller.tenant.id, window, previous: earlier, ...filter, limit: params.limit }
    const few = hasFewValues(ranking) ? addGroups(await readAll(rankFewValues(ranking)), params.limit) : undefined
    const groups = few ?? (await read(groupReports(ranking)))
    const data = groups.map(({ previousCount, ...group }) => ({
      ...group,
      trendPercent: trendPercent(group.reportCount, previousCount),
    }))
    return { groupBy: [...filter.groupBy], data }
  },
})
