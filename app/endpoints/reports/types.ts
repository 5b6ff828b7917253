import { z } from 'zod'
import { countReportTypes, toTypeCounts } from '../../../queries/reports/count-reports.ts'
import { countTypeParts, toTypeTrends } from '../../../queries/reports/count-type-parts.ts'
import { addition } from '../../../schema/additions.ts'
import { flag, uuid } from '../../../schema/params.ts'
import { everyTypeAdditions, toEveryTypeFilter } from '../../../schema/report-filter.ts'
import { reportTypeCount } from '../../../schema/responses/report.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { windows } from '../../pipeline/windows.ts'

export const reportsTypes = endpoint({
  name: 'reports.types',
  path: '/v1/reports/types',
  summary: 'Count reports by type',
  description:
    'The types with reports in the window; csp-violation is always listed, even without reports. With `series=true` each type also has its trend and its counts over time.',
  query: {
    siteId: uuid('Only reports of this site').optional(),
    ...everyTypeAdditions,
    series: addition(
      flag('If true, each type also has `trendPercent`, and `reportCounts` for 14 equal parts of the window'),
    ),
  },
  parse: toEveryTypeFilter,
  window: windows.weekByDefault,
  cache: 'until-import',
  response: z.object({ data: z.array(reportTypeCount) }),
  async handle({ caller, window, earlier, filter, params, readAll }) {
    const tenantId = caller.tenant.id
    if (params.series === 'true') {
      const parts = await readAll(countTypeParts({ tenantId, window, previous: earlier, filter }))
      return { data: toTypeTrends(parts) }
    }
    return { data: toTypeCounts(await readAll(countReportTypes(tenantId, window, filter))) }
  },
})
