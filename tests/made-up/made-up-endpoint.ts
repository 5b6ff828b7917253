import { z } from 'zod'
import { endpoint } from '../../app/pipeline/endpoint.ts'
import { windows } from '../../app/pipeline/windows.ts'
import { countReportTypes, toTypeCounts } from '../../queries/reports/count-reports.ts'
import { oneOf, uuid } from '../../schema/params.ts'
import { toEveryTypeFilter } from '../../schema/report-filter.ts'
import { reportTypeCount } from '../../schema/responses/report.ts'

/** An endpoint as a developer would add it: one declaration. */
export const madeUpEndpoint = endpoint({
  name: 'reports.made-up',
  path: '/v1/sites/{siteId}/made-up',
  summary: 'A made-up operation',
  description: 'Counts a site’s reports by type.',
  pathParams: { siteId: uuid('The site') },
  query: {
    unit: oneOf(['reports', 'estimates'], 'The unit of the counts').meta({ examples: ['reports'] }),
    order: oneOf(['largest', 'smallest'], 'The order of the types').default('largest'),
  },
  window: windows.weekByDefault,
  requires: [{ capability: 'scripts.inventory', when: { parameter: 'order', is: 'smallest' } }],
  cache: 'until-import',
  response: z.object({ order: z.string(), data: z.array(reportTypeCount) }),
  async handle({ caller: { tenant }, params: { siteId, order }, window, readAll }) {
    const data = toTypeCounts(await readAll(countReportTypes(tenant.id, window, toEveryTypeFilter({ siteId }))))
    return { order, data }
  },
})
