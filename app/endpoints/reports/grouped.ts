import { z } from 'zod'
import { groupReports, type Ranking, type ReportGroup } from '../../../queries/reports/group-reports.ts'
import { areLargest, groupHashes, isRankedByHash, rankHashes } from '../../../queries/reports/rank-by-hash.ts'
import { addGroups, hasFewValues, rankFewValues } from '../../../queries/reports/rank-few-values.ts'
import type { Reader } from '../../../queries/sql/query.ts'
import { groupByParam, toGrouping } from '../../../schema/group-by.ts'
import { integer } from '../../../schema/params.ts'
import { reportFilterParams, toReportFilter } from '../../../schema/report-filter.ts'
import { groupedRow } from '../../../schema/responses/report.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { windows } from '../../pipeline/windows.ts'

export const reportsGrouped = endpoint({
  name: 'reports.grouped',
  path: '/v1/reports/grouped',
  summary: 'Rank reports by one or two dimensions',
  description:
    'The largest groups first, with the change against the window of equal length just before. A ranking has no cursor.',
  query: {
    ...reportFilterParams,
    groupBy: groupByParam,
    limit: integer(1, 100, 'The number of groups to return').default(20),
  },
  parse: (query) => ({ ...toReportFilter(query), groupBy: toGrouping(query.reportType, query.groupBy) }),
  window: windows.weekByDefault,
  cache: 'until-import',
  response: z.object({ groupBy: z.array(z.string()), data: z.array(groupedRow) }),
  async handle({ caller, window, earlier, filter, params, read, readAll }) {
    const ranking = { tenantId: caller.tenant.id, window, previous: earlier, ...filter, limit: params.limit }
    const groups = await rank(ranking, { read, readAll })
    const data = groups.map(({ previousCount, ...group }) => ({
      ...group,
      trendPercent: trendPercent(group.reportCount, previousCount),
    }))
    return { groupBy: [...filter.groupBy], data }
  },
})

/** `groupReports` in every case; faster ways first, which show whether they are exact. */
async function rank(ranking: Ranking, { read, readAll }: Reader): Promise<readonly ReportGroup[]> {
  if (hasFewValues(ranking)) {
    const groups = addGroups(await readAll(rankFewValues(ranking)), ranking.limit)
    if (groups) return groups
  }
  if (isRankedByHash(ranking)) {
    const hashes = await read(rankHashes(ranking))
    if (areLargest(hashes, hashes, ranking)) {
      const groups = await read(groupHashes(ranking, hashes))
      if (areLargest(groups, hashes, ranking)) return groups
    }
  }
  return read(groupReports(ranking))
}

/** Percent change with one decimal (Rule 34). */
export function trendPercent(now: number, before: number): number | null {
  return before === 0 ? null : Math.round(((now - before) * 1000) / before) / 10
}
