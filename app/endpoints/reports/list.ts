import { listReports } from '../../../queries/reports/list-reports.ts'
import { addition } from '../../../schema/additions.ts'
import { flag } from '../../../schema/params.ts'
import { reportFilterAdditions, reportFilterParams, toReportFilter } from '../../../schema/report-filter.ts'
import { listResponse } from '../../../schema/responses/common.ts'
import { detailedReport, type Report } from '../../../schema/responses/report.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { listPage } from '../../pipeline/page.ts'
import { timePosition } from '../../pipeline/time-position.ts'
import { windows } from '../../pipeline/windows.ts'

const position = {
  ...timePosition('receivedAt'),
  timeOf: ({ receivedAt }: Pick<Report, 'receivedAt'>) => Date.parse(receivedAt),
}

export const reportsList = endpoint({
  name: 'reports.list',
  path: '/v1/reports',
  summary: 'List reports',
  description:
    'Reports of one type, newest first. Only the first 10,000 reports can be paged; narrow the window to see others.',
  query: {
    ...reportFilterParams,
    ...reportFilterAdditions,
    details: addition(
      flag('If true, a report also has `context` and `rest`, so that it includes everything that the browser sent'),
    ),
  },
  parse: toReportFilter,
  window: windows.week,
  page: { ...listPage, position },
  cache: 'until-import',
  response: listResponse(detailedReport),
  async handle({ caller, window, filter, params, page, read }) {
    const asked = { ...filter, details: params.details === 'true' }
    return page.cut(await read(listReports(caller.tenant.id, window, asked, { after: page.after, limit: page.rows })))
  },
})
