import { z } from 'zod'
import { listValues } from '../../../queries/reports/values.ts'
import { toValuesOf, valuesParams } from '../../../schema/group-by.ts'
import { reportFilterAdditions, reportFilterParams, toReportFilter } from '../../../schema/report-filter.ts'
import { valueCount } from '../../../schema/responses/report.ts'
import { estimate } from '../../../schema/rules/weights.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { windows } from '../../pipeline/windows.ts'

export const reportsValues = endpoint({
  name: 'reports.values',
  path: '/v1/reports/values',
  summary: 'List a dimension’s values',
  description:
    'The values of a dimension in the window, by number of reports, then by value, for use as filter options. With `contains`, only values that contain that text. The value "" represents reports without a value. There is no cursor: narrow the list with `contains` and the filters.',
  query: { ...reportFilterParams, ...reportFilterAdditions, ...valuesParams },
  parse: (query) => ({ report: toReportFilter(query), values: toValuesOf(query.reportType, query) }),
  window: windows.weekByDefault,
  cache: 'until-import',
  response: z.object({
    data: z.array(valueCount),
    truncated: z.boolean().meta({ description: 'True if there are more values than `limit`.' }),
  }),
  async handle({ caller, window, filter: { report, values }, params: { limit }, read }) {
    const rows = await read(listValues({ tenantId: caller.tenant.id, window, ...report, ...values, limit: limit + 1 }))
    return {
      data: rows.slice(0, limit).map((row) => ({
        value: row.value,
        reportCount: row.reportCount,
        estimatedReportCount: estimate(row),
      })),
      truncated: rows.length > limit,
    }
  },
})
