import { z } from 'zod'
import { countReportTypes, toTypeCounts } from '../../../queries/reports/count-report-types.ts'
import { uuid } from '../../../schema/params.ts'
import { reportTypeCount } from '../../../schema/responses/report.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { windows } from '../../pipeline/windows.ts'

export const reportsTypes = endpoint({
  name: 'reports.types',
  path: '/v1/reports/types',
  summary: 'Count reports by type',
  description: 'The types with reports in the window; csp-violation is always listed, even with none.',
  query: { siteId: uuid('Only reports of this site').optional() },
  window: windows.weekByDefault,
  cache: 'until-import',
  response: z.object({ data: z.array(reportTypeCount) }),
  async handle({ caller, window, params, readAll }) {
    return { data: toTypeCounts(await readAll(countReportTypes(caller.tenant.id, window, params.siteId))) }
  },
})
