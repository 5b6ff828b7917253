import { z } from 'zod'
import { listValues } from '../../../queries/reports/list-values.ts'
import { estimate } from '../../../queries/rules/weights.ts'
import { toValuesOf, valuesParams } from '../../../schema/group-by.ts'
import { reportFilterAdditions, reportFilterParams, toReportFilter } from '../../../schema/report-filter.ts'
import { valueCount } from '../../../schema/responses/report.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { windows } from '../../pipeline/windows.ts'

export const reportsValues = endpoint({
  name: 'reports.values',
  path: '/v1/reports/values',
  summary: 'List a dimension’s values',
  description:
    'The values of a dimension in the window, those of the most reports first, ties by value: what a picker of a filter lists. With `contains` only values that contain a text. Reports without a value are the value "". There is no cursor: narrow it by `contains` and the filters.',
  query: { ...reportFilterParams, ...reportFilterAdditions, ...valuesParams },
  parse: (query) => ({ report: toReportFilter(query), values: toValuesOf(query.reportType, query) }),
  window: windows.weekByDefault,
  cache: 'until-import',
  response: z.object({
    data: z.array(valueCount),
    truncated: z.boolean().meta({ description: 'There are more values than `limit`.' }),
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
