import { z } from 'zod'
import { countReports } from '../../../queries/reports/count-reports.ts'
import { reportFilterAdditions, reportFilterParams, toReportFilter } from '../../../schema/report-filter.ts'
import { readWindow } from '../../../schema/responses/common.ts'
import { reportCount } from '../../../schema/responses/report.ts'
import { toReadWindow } from '../../../schema/rules/time/window.ts'
import { addTallies, estimate, isSampled } from '../../../schema/rules/weights.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { windows } from '../../pipeline/windows.ts'

export const reportsCount = endpoint({
  name: 'reports.count',
  path: '/v1/reports/count',
  summary: 'Count reports',
  description: 'The number of reports that match the filters, and the estimated number before sampling.',
  query: { ...reportFilterParams, ...reportFilterAdditions },
  parse: toReportFilter,
  window: windows.weekByDefault,
  cache: 'until-import',
  response: z.object({ data: reportCount, window: readWindow.optional() }),
  async handle({ caller, window, filter, hasAdditions, readAll }) {
    const tally = addTallies(await readAll(countReports(caller.tenant.id, window, filter)))
    return {
      data: { reportCount: tally.reportCount, estimatedReportCount: estimate(tally), sampled: isSampled(tally) },
      ...(hasAdditions && { window: toReadWindow(window) }),
    }
  },
})
