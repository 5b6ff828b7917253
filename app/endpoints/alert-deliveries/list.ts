import { listAlertDeliveries } from '../../../queries/alerts/deliveries.ts'
import { exactText, uuid } from '../../../schema/params.ts'
import { alertDelivery } from '../../../schema/responses/alert-delivery.ts'
import { listResponse } from '../../../schema/responses/common.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { wholeListPage } from '../../pipeline/page.ts'
import { timePosition } from '../../pipeline/time-position.ts'

export const alertDeliveriesList = endpoint({
  name: 'alert-deliveries.list',
  path: '/v1/alert-deliveries',
  summary: 'List alert deliveries',
  description:
    'One entry per destination of each alert that was sent, attempted or dropped, newest first. All stored deliveries are listed, independent of the retention of reports.',
  query: {
    siteId: uuid('Only deliveries about this site, and digests that covered it').optional(),
    destinationId: exactText(64, 'Only deliveries to the destination with this id').optional(),
    eventType: exactText(64, 'Only deliveries of this event type, such as csp.new_issue').optional(),
  },
  page: { ...wholeListPage, position: timePosition('createdAt', alertDelivery.shape.id) },
  charges: ['key'],
  response: listResponse(alertDelivery),
  async handle({ caller, params, page, read }) {
    const { siteId, tenant } = caller
    const deliveries = await read(listAlertDeliveries(tenant.id, params, { after: page.after, limit: page.rows }))
    if (siteId === null) return page.cut(deliveries)
    // A digest covers other sites too.
    return page.cut(
      deliveries.map((delivery) => ({ ...delivery, siteIds: delivery.siteIds.filter((id) => id === siteId) })),
    )
  },
})
