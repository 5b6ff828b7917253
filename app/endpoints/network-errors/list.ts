import {
  listNetworkErrorDetails,
  listNetworkErrorGroups,
  listNetworkErrorTexts,
  type NetworkErrorFilter,
  noNetworkErrors,
} from '../../../queries/network-errors/network-error-groups.ts'
import { networkErrorPhases } from '../../../schema/enumerations.ts'
import { exactText, oneOf, uuid } from '../../../schema/params.ts'
import { listResponse } from '../../../schema/responses/common.ts'
import { networkErrorGroup, networkErrorTotals } from '../../../schema/responses/network-error.ts'
import { estimate } from '../../../schema/rules/weights.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { listPage } from '../../pipeline/page.ts'
import { windows } from '../../pipeline/windows.ts'
import { readGroups } from '../groups/read-groups.ts'
import { volumePosition } from '../groups/volume-position.ts'

const groupQueries = {
  list: listNetworkErrorGroups,
  texts: listNetworkErrorTexts,
  details: listNetworkErrorDetails,
  noTotals: noNetworkErrors,
}

export const networkErrorsList = endpoint({
  name: 'network-errors.list',
  path: '/v1/network-errors',
  summary: 'List network error groups',
  description:
    'Failed requests by error type, phase, request origin and status, largest estimated volume first. Browsers sample: each stored report counts as 1 divided by its sample rate. Successful requests are not stored, so there are counts but no error rates. Only the first 10,000 groups can be paged; narrow the window to see others.',
  query: {
    siteId: uuid('Only errors of this site').optional(),
    phase: oneOf(networkErrorPhases, 'Only errors of this phase').optional(),
    errorType: exactText(128, 'Only errors of exactly this type, such as tcp.timed_out').optional(),
    origin: exactText(255, 'Only failed requests to exactly this origin, such as https://cdn.example').optional(),
  },
  window: windows.month,
  page: { ...listPage, position: volumePosition },
  cache: 'until-import',
  response: listResponse(networkErrorGroup, { totals: networkErrorTotals }),
  async handle({ caller, window, params, ...ctx }) {
    const filter: NetworkErrorFilter = { tenantId: caller.tenant.id, window, ...params }
    const { groups, totals, paging } = await readGroups(ctx, filter, groupQueries)
    return {
      data: groups.map((group) => ({
        errorType: group.errorType,
        phase: group.phase,
        origin: group.origin,
        statusCode: group.statusCode,
        serverIps: group.serverIps,
        protocols: group.protocols,
        methods: group.methods,
        browsers: group.browsers,
        exampleUrl: group.exampleUrl,
        reportCount: group.reportCount,
        estimatedReportCount: estimate(group),
        firstSeen: group.firstSeen,
        lastSeen: group.lastSeen,
      })),
      totals: {
        reportCount: totals.totalReportCount,
        estimatedReportCount: estimate({ weight: totals.totalWeight }),
        groupCount: totals.groupCount,
        originCount: totals.originCount,
      },
      ...paging,
    }
  },
})
